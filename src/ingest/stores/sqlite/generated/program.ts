/** The program of worker.ts. `deno task generate` writes it: change the sources. */
export const PROGRAM: string = `
// src/ingest/stores/sqlite/worker/worker.ts
import process from "node:process";
import { parentPort } from "node:worker_threads";

// src/ingest/platform/describe_error.ts
function describeError(error) {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\\n");
  return line;
}

// src/ingest/stores/sqlite/worker/data_calls.ts
import { statSync as statSync3 } from "node:fs";

// src/ingest/platform/builtin.ts
var NO_SQLITE = "SQLite needs node:sqlite, which Deno has since 2.2 and Node since 22.13";
function findBuiltin(name, { process: process2 } = globalThis) {
  return process2?.getBuiltinModule?.(name);
}

// src/ingest/events/erasures.ts
var HASH_HEX_CHARACTERS = 32;
var MEMORY = 1e4;
function createOwnerHashes(sha256) {
  const known = /* @__PURE__ */ new Map();
  const hash = (text) => {
    const remembered = known.get(text);
    if (remembered !== void 0) return remembered;
    const made = sha256(text).slice(0, HASH_HEX_CHARACTERS);
    if (known.size >= MEMORY) known.clear();
    known.set(text, made);
    return made;
  };
  return { key: hash, id: (keyHash, id) => hash(joinOwner(keyHash, id)) };
}
function joinOwner(keyHash, id) {
  return \`\${keyHash}
\${id}\`;
}
function toOwner(keyHash, { identity, timestamp, receivedAt }) {
  return { keyHash, userId: identity?.userId, anonymousId: identity?.anonymousId, timestamp, receivedAt };
}
function parseOwnerId(json) {
  return typeof json === "string" ? JSON.parse(json) : null;
}
function isErased(event, hashes, find) {
  const { keyHash } = event;
  return listOwners(event).some(({ kind, id }) => {
    const erasedAt = find(keyHash, kind, hashes.id(keyHash, id));
    return erasedAt !== void 0 && isBefore(event, erasedAt);
  });
}
function isBefore({ timestamp, receivedAt }, time) {
  return Math.min(Date.parse(timestamp), Date.parse(receivedAt)) <= Date.parse(time);
}
function createFindErasure(erasures) {
  const times = /* @__PURE__ */ new Map();
  for (const { key, kind, id, erasedAt } of erasures) {
    const name = \`\${key} \${kind} \${id}\`;
    const known = times.get(name);
    if (known === void 0 || known < erasedAt) times.set(name, erasedAt);
  }
  return (key, kind, id) => times.get(\`\${key} \${kind} \${id}\`);
}
function listOwners({ userId, anonymousId }) {
  const hasUser = typeof userId === "string";
  return [
    ...hasUser ? [{ kind: "user", id: userId }] : [],
    ...typeof anonymousId === "string" ? [{ kind: "anonymous", id: anonymousId }] : [],
    ...typeof anonymousId === "string" && !hasUser ? [{ kind: "visitor", id: anonymousId }] : []
  ];
}
var TIME = /^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$/;
var HASH = /^[0-9a-f]{32}$/;
function isHash(text) {
  return HASH.test(text);
}
function toErasuresPath(path) {
  return \`\${path}-erasures\`;
}
function formatErasures(erasures) {
  return erasures.map(({ key, kind, id, erasedAt }) => \`\${JSON.stringify({ key, kind, id, erasedAt })}
\`).join("");
}
function parseErasures(text) {
  return text.split("\\n").flatMap((line, index) => {
    if (line === "") return [];
    const erasure = tryToParse(line);
    if (!isErasure(erasure)) throw new Error(\`its line \${index + 1} is no record of an erasure\`);
    return erasure;
  });
}
function tryToParse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return void 0;
  }
}
function isErasure(value) {
  if (typeof value !== "object" || value === null) return false;
  const { key, kind, id, erasedAt } = value;
  return isHash(String(key)) && isHash(String(id)) && TIME.test(String(erasedAt)) && (kind === "user" || kind === "anonymous" || kind === "visitor");
}

// src/ingest/stores/sqlite/sqlite_erasures.ts
import { createHash } from "node:crypto";
import {
  closeSync as closeSync2,
  fchmodSync,
  fchownSync,
  fsyncSync as fsyncSync2,
  openSync as openSync2,
  readFileSync,
  renameSync,
  statSync as statSync2,
  writeFileSync
} from "node:fs";
import { dirname } from "node:path";

// src/ingest/platform/sync_directory.ts
import { closeSync, fsyncSync, openSync } from "node:fs";
function syncDirectory(path) {
  try {
    const directory = openSync(path, "r");
    fsyncSync(directory);
    closeSync(directory);
  } catch {
  }
}

// src/ingest/stores/sqlite/sqlite_path.ts
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
function toWholePath(path) {
  return isFile(path) ? resolve(path) : path;
}
function isFile(path) {
  return path !== "" && path !== ":memory:" && !path.startsWith("file:");
}
function toLogPath(path) {
  return \`\${toLinkedPath(path)}-wal\`;
}
function measureLog(path) {
  return statSync(toLogPath(path), { throwIfNoEntry: false })?.size ?? 0;
}
function toLinkedPath(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

// src/ingest/stores/sqlite/sqlite_erasures.ts
var ERASING_MS = 60 * 60 * 1e3;
var SCHEMA = \`
  CREATE TABLE IF NOT EXISTS erasures (
    key_hash TEXT NOT NULL,
    kind TEXT NOT NULL,
    id_hash TEXT NOT NULL,
    erased_at TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (key_hash, kind, id_hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS erasures_by_time ON erasures (erased_at);
  CREATE INDEX IF NOT EXISTS erasures_to_apply ON erasures (state) WHERE state <> 'applied';
\`;
var HAS_TABLE = "SELECT 1 FROM sqlite_schema WHERE name = 'erasures_to_apply'";
var SELECT = "SELECT key_hash AS key, kind, id_hash AS id, erased_at AS erasedAt FROM erasures";
var FIND = "SELECT erased_at FROM erasures WHERE key_hash = ? AND kind = ? AND id_hash = ?";
var KEEP = \`
  INSERT INTO erasures (key_hash, kind, id_hash, erased_at, state) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (key_hash, kind, id_hash) DO UPDATE SET erased_at = excluded.erased_at, state = excluded.state
  WHERE excluded.erased_at > erased_at
\`;
var PENDING = \`\${SELECT} WHERE state <> 'applied' AND (state = 'open' OR erased_at < ?)\`;
var FINISH = "UPDATE erasures SET state = 'applied' WHERE key_hash = ? AND kind = ? AND id_hash = ? AND erased_at = ?";
var OLD = "erased_at < ? AND state = 'applied'";
function createHashes() {
  return createOwnerHashes((text) => createHash("sha256").update(text).digest("hex"));
}
function openErasures(database, path) {
  if (database.prepare(HAS_TABLE).get() === void 0) database.exec(\`BEGIN IMMEDIATE; \${SCHEMA} COMMIT;\`);
  const hashes = createHashes();
  const statements = {
    find: database.prepare(FIND),
    ofKey: database.prepare("SELECT 1 FROM erasures WHERE key_hash = ? LIMIT 1"),
    keep: database.prepare(KEEP),
    newest: database.prepare("SELECT max(erased_at) AS time FROM erasures"),
    pending: database.prepare(PENDING),
    finish: database.prepare(FINISH),
    forget: database.prepare(\`DELETE FROM erasures WHERE \${OLD}\`),
    countOld: database.prepare(\`SELECT count(*) AS count FROM erasures WHERE \${OLD}\`),
    select: database.prepare(SELECT)
  };
  function find(...of) {
    const row = statements.find.get(...of);
    return row === void 0 ? void 0 : String(row.erased_at);
  }
  function isMissing({ key, kind, id, erasedAt }) {
    return (find(key, kind, id) ?? "") < erasedAt;
  }
  function takeOver() {
    const missing = readRecords(path).filter(isMissing);
    for (const { key, kind, id, erasedAt } of missing) statements.keep.run(key, kind, id, erasedAt, "open");
  }
  function write() {
    writeRecords(path, readRows(statements.select));
  }
  function isFileShort(records2) {
    const findInFile = createFindErasure(records2);
    const isInFile = ({ key, kind, id, erasedAt }) => (findInFile(key, kind, id) ?? "") >= erasedAt;
    return isFile(path) && !readRows(statements.select).every(isInFile);
  }
  const records = readRecords(path);
  if (records.some(isMissing)) inTransaction(database, takeOver);
  if (isFileShort(records)) {
    inTransaction(database, () => {
      takeOver();
      write();
    });
  }
  return {
    hashKey: hashes.key,
    hasKey: (keyHash) => statements.ofKey.get(keyHash) !== void 0,
    read: () => {
      const newest = statements.newest.get()?.time;
      if (typeof newest !== "string") return () => false;
      return (event) => isBefore(event, newest) && isErased(event, hashes, find);
    },
    find,
    keep: (erasures) => inTransaction(database, () => {
      takeOver();
      for (const { key, kind, id, erasedAt } of erasures) statements.keep.run(key, kind, id, erasedAt, "erasing");
      write();
    }),
    listPending: () => readRows(statements.pending, new Date(Date.now() - ERASING_MS).toISOString()),
    finish: (erasures) => inTransaction(database, () => {
      for (const { key, kind, id, erasedAt } of erasures) statements.finish.run(key, kind, id, erasedAt);
    }),
    forget: (before, isTry) => inTransaction(database, () => {
      if (isTry) return Number(statements.countOld.get(before)?.count);
      takeOver();
      const { changes } = statements.forget.run(before);
      if (changes > 0) write();
      return Number(changes);
    })
  };
}
function inTransaction(database, work) {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
    }
    throw error;
  }
}
function readRows(statement, ...values) {
  return statement.all(...values);
}
function readRecords(path) {
  const file = toErasuresPath(path);
  if (!isFile(path) || statSync2(file, { throwIfNoEntry: false }) === void 0) return [];
  try {
    return parseErasures(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(\`the erasures \${JSON.stringify(file)} can't be read: \${describeError(cause)}\`, { cause });
  }
}
function writeRecords(path, erasures) {
  if (!isFile(path)) return;
  const file = toErasuresPath(path);
  const draft = \`\${file}.new\`;
  const opened = openSync2(draft, "w", 384);
  try {
    shareWithDatabase(opened, path);
    writeFileSync(opened, formatErasures(erasures));
    fsyncSync2(opened);
  } finally {
    closeSync2(opened);
  }
  renameSync(draft, file);
  syncDirectory(dirname(file));
}
function shareWithDatabase(file, path) {
  const { uid, gid, mode } = statSync2(path);
  try {
    fchownSync(file, uid, gid);
  } catch {
  }
  fchmodSync(file, mode & 511);
}

// src/ingest/stores/sqlite/sqlite_blocks.ts
var [LOOK_EVENTS, DELETE_EVENTS] = [5e3, 500];
var MAX_UNITS = 4 * 1024 * 1024;
var SELECT2 = \`
  SELECT seq, api_key AS apiKey, event -> '$.identity.userId' AS userId,
    event -> '$.identity.anonymousId' AS anonymousId, session_id AS sessionId, timestamp, received_at AS receivedAt,
    length(event) AS units
  FROM events WHERE seq > ? ORDER BY seq LIMIT ?
\`;
var SELECT_RANGE = \`
  SELECT seq, api_key AS apiKey, event FROM events
  WHERE seq > ?1 AND seq <= ?2 AND (?3 IS NULL OR api_key = ?3) ORDER BY seq LIMIT ?4
\`;
var OLD2 = "received_at < ?";
function createPredicate(selection) {
  const hashes = createHashes();
  const find = createFindErasure(selection.erasures);
  return (event) => isErased(event, hashes, find);
}
function openBlocks({ database, rollup, erasures: { hashKey: hashKey2 } }) {
  const select = database.prepare(SELECT2);
  const selectEvent = database.prepare("SELECT seq, api_key, event FROM events WHERE seq = ?");
  const selectLast = database.prepare("SELECT max(seq) AS seq FROM events");
  const selectRange = database.prepare(SELECT_RANGE);
  const drop = database.prepare("DELETE FROM events WHERE seq = ?");
  const countOld = database.prepare(\`SELECT count(*) AS count FROM events WHERE \${OLD2}\`);
  const selectOld = database.prepare(
    \`SELECT seq, api_key, event FROM events WHERE \${OLD2} ORDER BY received_at LIMIT \${DELETE_EVENTS}\`
  );
  const selectOfKey = database.prepare(
    "SELECT 1 FROM events WHERE api_key = :key UNION ALL SELECT 1 FROM pageviews WHERE api_key = :key LIMIT 1"
  );
  const selectAny = database.prepare("SELECT 1 FROM events LIMIT 1");
  const selectSince = database.prepare("SELECT timestamp FROM events WHERE received_at >= ? ORDER BY received_at DESC");
  function removeSelected(seqs, isSelected) {
    const found = seqs.flatMap((seq) => {
      const row = selectEvent.get(seq);
      return row === void 0 ? [] : [readEvent(row)];
    }).filter(({ apiKey, event }) => isSelected(toOwner(hashKey2(apiKey), event)));
    removeEvents(found);
    return new Set(found.map(({ seq }) => seq));
  }
  function removeEvents(found) {
    for (const [apiKey, ofKey] of Map.groupBy(found, ({ apiKey: apiKey2 }) => apiKey2)) {
      rollup.remove(apiKey, ofKey.map(({ event }) => event));
    }
    for (const { seq } of found) drop.run(seq);
  }
  function readOld(before) {
    const found = [];
    let units = 0;
    for (const row of selectOld.iterate(before)) {
      found.push(readEvent(row));
      units += String(row.event).length;
      if (units >= MAX_UNITS) break;
    }
    return found;
  }
  return {
    hasKey: (apiKey) => selectOfKey.get({ key: apiKey }) !== void 0,
    find: (after, isSelected) => readBlock(select, { hashKey: hashKey2, after, isSelected }),
    read: (after, isSelected) => {
      const { selected, ...block } = readBlock(select, { hashKey: hashKey2, after, isSelected, units: MAX_UNITS });
      return { ...block, selected: selected.flatMap(({ seq }) => String(selectEvent.get(seq)?.event ?? "") || []) };
    },
    last: () => Number(selectLast.get()?.seq ?? 0),
    readRange: ({ after, until, apiKey, from, to }, isErased2) => {
      const fromMs = from === void 0 ? -Infinity : Date.parse(from);
      const toMs = to === void 0 ? Infinity : Date.parse(to);
      const selected = [];
      let [last, count, sum] = [after, 0, 0];
      for (const row of selectRange.iterate(after, until, apiKey ?? null, LOOK_EVENTS)) {
        const text = String(row.event);
        const event = JSON.parse(text);
        const keyHash = hashKey2(String(row.apiKey));
        last = Number(row.seq);
        count += 1;
        const timeMs = Date.parse(event.timestamp);
        if (timeMs < fromMs || timeMs >= toMs || isErased2(toOwner(keyHash, event))) continue;
        selected.push({ keyHash, text });
        sum += text.length;
        if (sum >= MAX_UNITS) return { selected, last, isLast: false };
      }
      return { selected, last, isLast: count < LOOK_EVENTS };
    },
    remove: (after, isSelected) => {
      const block = readBlock(select, { hashKey: hashKey2, after, isSelected, events: DELETE_EVENTS, units: MAX_UNITS });
      if (block.selected.length === 0) return block;
      const removed = inTransaction(database, () => removeSelected(block.selected.map(({ seq }) => seq), isSelected));
      return { ...block, selected: block.selected.filter(({ seq }) => removed.has(seq)) };
    },
    countOld: (before) => Number(countOld.get(before)?.count),
    removeOld: (before) => inTransaction(database, () => {
      const found = readOld(before);
      removeEvents(found);
      return found.length;
    }),
    isBeforeNewest: (time) => {
      const timeMs = Date.parse(time);
      for (const { timestamp } of selectSince.iterate(time)) {
        if (Date.parse(String(timestamp)) >= timeMs) return true;
      }
      return selectAny.get() === void 0;
    }
  };
}
function readEvent({ seq, api_key, event }) {
  return { seq: Number(seq), apiKey: String(api_key), event: JSON.parse(String(event)) };
}
function readBlock(select, { hashKey: hashKey2, after, events = Infinity, units: maxUnits = Infinity, isSelected }) {
  const selected = [];
  let [last, count, sum] = [after, 0, 0];
  for (const row of select.iterate(after, LOOK_EVENTS)) {
    const { units, apiKey, userId, anonymousId, ...rest } = row;
    const owner = {
      ...rest,
      keyHash: hashKey2(apiKey),
      userId: parseOwnerId(userId),
      anonymousId: parseOwnerId(anonymousId)
    };
    count += 1;
    last = owner.seq;
    if (!isSelected(owner)) continue;
    selected.push(owner);
    sum += units;
    if (selected.length >= events || sum >= maxUnits) return { selected, last, isLast: false };
  }
  return { selected, last, isLast: count < LOOK_EVENTS };
}

// src/ingest/stores/sqlite/sqlite_module.ts
function loadSqlite(runtime) {
  const sqlite = findBuiltin("node:sqlite", runtime);
  if (sqlite === void 0) throw new Error(NO_SQLITE);
  return sqlite;
}

// src/ingest/events/stored_event.ts
var PAGEVIEW_NAME = "$pageview";
function isPageview({ name }) {
  return name === PAGEVIEW_NAME;
}
function monthOf(time) {
  return time.slice(0, "2026-01".length);
}

// src/ingest/events/event_facts.ts
var LABEL_KINDS = ["names", "paths", "referrers", "sessions", "visitors", "users", "violations"];
var MAX_LABEL_UNITS = 1024;
var MAX_PARSED_UNITS = 2 * MAX_LABEL_UNITS;
var NOWHERE = { origin: "", path: "" };
function createLocator() {
  const places = /* @__PURE__ */ new Map();
  return (url) => {
    const known = places.get(url);
    if (known !== void 0) return known;
    const place = parsePlace(url);
    places.set(url, place);
    return place;
  };
}
function readFacts(event, locate = parsePlace) {
  const { name, collection, timestamp, sessionId, identity, context, violation } = event;
  const labelFull = (id) => collection === "full" && id !== void 0 && id !== null ? cleanLabel(id) : void 0;
  const { origin: site, path } = locate(context?.pageUrl ?? "");
  const referrer = locate(context?.referrer ?? "").origin;
  const isFromElsewhere = referrer !== site || site === "";
  return {
    site,
    day: timestamp.slice(0, "2026-01-31".length),
    labels: {
      names: cleanLabel(name),
      paths: isPageview(event) ? path : void 0,
      referrers: isPageview(event) && isFromElsewhere ? referrer : void 0,
      sessions: labelFull(sessionId),
      visitors: labelFull(identity?.anonymousId),
      users: labelFull(identity?.userId),
      violations: violation === void 0 ? void 0 : cleanLabel(\`\${violation} \${name}\`)
    }
  };
}
function parsePlace(whole) {
  const url = whole.slice(0, MAX_PARSED_UNITS);
  if (!URL.canParse(url)) return NOWHERE;
  const { origin, protocol, host, pathname } = new URL(url);
  const isOpaque = origin === "null" && host !== "";
  return { origin: cleanLabel(isOpaque ? \`\${protocol}//\${host}\` : origin), path: normalizePath(cleanLabel(pathname)) };
}
var ENCODED = /%[\\da-f]{2}/gi;
var UNRESERVED = /[\\w.~-]/;
function normalizePath(path) {
  return path.replace(ENCODED, (encoded) => {
    const character = String.fromCharCode(parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded.toUpperCase();
  });
}
function cleanLabel(text) {
  return text.slice(0, MAX_LABEL_UNITS).toWellFormed().replace(/\\p{Cc}/gu, "\\uFFFD");
}

// src/ingest/events/event_counts.ts
function createEventCounts() {
  const counts = {
    names: /* @__PURE__ */ new Map(),
    paths: /* @__PURE__ */ new Map(),
    referrers: /* @__PURE__ */ new Map(),
    sessions: /* @__PURE__ */ new Map(),
    visitors: /* @__PURE__ */ new Map(),
    users: /* @__PURE__ */ new Map(),
    violations: /* @__PURE__ */ new Map()
  };
  function count(kind, { site, day, labels }, collection) {
    const label = labels[kind];
    if (label === void 0) return;
    const key = \`\${site}
\${day}
\${label}\`;
    const known = counts[kind].get(key);
    const row = known ?? { site, day, label, full: 0, aggregate: 0 };
    row[collection]++;
    if (known === void 0) counts[kind].set(key, row);
  }
  return {
    add: (events) => {
      const locate = createLocator();
      for (const event of events) {
        const facts = readFacts(event, locate);
        for (const kind of LABEL_KINDS) count(kind, facts, event.collection);
      }
    },
    rows: (kind) => counts[kind].values()
  };
}

// src/ingest/stores/sqlite/sqlite_rollup.ts
var ROLLUP_TABLES = {
  paths: "report_paths",
  referrers: "report_referrers",
  names: "report_names",
  sessions: "report_sessions",
  visitors: "report_visitors",
  users: "report_users",
  violations: "report_violations"
};
var BACKFILL_EVENTS = 1e4;
var SITES = \`
  CREATE TABLE report_sites (
    site_id INTEGER PRIMARY KEY,
    api_key TEXT NOT NULL,
    site TEXT NOT NULL,
    UNIQUE (api_key, site)
  ) STRICT
\`;
var ADD_SITE = "INSERT INTO report_sites (api_key, site) VALUES (?, ?) ON CONFLICT (api_key, site) DO NOTHING";
var FIND_SITE = "SELECT site_id FROM report_sites WHERE api_key = ? AND site = ?";
var DROP_SITE = \`
  DELETE FROM report_sites WHERE site_id = ?1
  AND NOT EXISTS (SELECT 1 FROM \${ROLLUP_TABLES.names} WHERE site_id = ?1)
\`;
function openRollup(database) {
  if (!hasRollup(database)) createRollup(database);
  return prepareRollup(database);
}
function hasRollup(database) {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(ROLLUP_TABLES.users) !== void 0;
}
function createRollup(database) {
  database.exec("BEGIN IMMEDIATE");
  if (!hasRollup(database)) {
    for (const table of [...Object.values(ROLLUP_TABLES), "report_sites"]) {
      database.exec(\`DROP TABLE IF EXISTS \${table}\`);
    }
    database.exec(SITES);
    for (const table of Object.values(ROLLUP_TABLES)) database.exec(buildTable(table));
    backfill(database);
  }
  database.exec("COMMIT");
}
function buildTable(table) {
  return \`
    CREATE TABLE \${table} (
      site_id INTEGER NOT NULL REFERENCES report_sites,
      day TEXT NOT NULL,
      label TEXT NOT NULL,
      full_count INTEGER NOT NULL,
      aggregate_count INTEGER NOT NULL,
      PRIMARY KEY (site_id, day, label)
    ) STRICT, WITHOUT ROWID
  \`;
}
function backfill(database) {
  const { add } = prepareRollup(database);
  const select = database.prepare("SELECT seq, api_key, event FROM events WHERE seq > ? ORDER BY seq LIMIT ?");
  let last = 0;
  for (; ; ) {
    const rows = select.all(last, BACKFILL_EVENTS);
    if (rows.length === 0) return;
    const byKey = Map.groupBy(rows, (row) => String(row.api_key));
    for (const [apiKey, ofKey] of byKey) add(apiKey, ofKey.map(({ event }) => JSON.parse(String(event))));
    last = Number(rows.at(-1)?.seq);
  }
}
function prepareRollup(database) {
  const addSite = database.prepare(ADD_SITE);
  const findSite = database.prepare(FIND_SITE);
  const dropSite = database.prepare(DROP_SITE);
  const statements = LABEL_KINDS.map((kind) => [kind, prepareCount(database, ROLLUP_TABLES[kind])]);
  const removals = LABEL_KINDS.map((kind) => [kind, prepareRemoval(database, ROLLUP_TABLES[kind])]);
  return {
    add: (apiKey, events) => {
      const counts = createEventCounts();
      counts.add(events);
      const siteIds = /* @__PURE__ */ new Map();
      const findId = (site) => {
        const known = siteIds.get(site);
        if (known !== void 0) return known;
        addSite.run(apiKey, site);
        const id = Number(findSite.get(apiKey, site)?.site_id);
        siteIds.set(site, id);
        return id;
      };
      for (const [kind, statement] of statements) {
        for (const { site, day, label, full, aggregate } of counts.rows(kind)) {
          statement.run(findId(site), day, label, full, aggregate);
        }
      }
    },
    remove: (apiKey, events) => {
      const counts = createEventCounts();
      counts.add(events);
      const siteIds = new Map(
        [...counts.rows("names")].map(({ site }) => [site, Number(findSite.get(apiKey, site)?.site_id)])
      );
      for (const [kind, { subtract, drop }] of removals) {
        for (const { site, day, label, full, aggregate } of counts.rows(kind)) {
          const siteId = siteIds.get(site) ?? 0;
          subtract.run(full, aggregate, siteId, day, label);
          drop.run(siteId, day, label);
        }
      }
      for (const siteId of siteIds.values()) dropSite.run(siteId);
    }
  };
}
function prepareCount(database, table) {
  return database.prepare(\`
    INSERT INTO \${table} (site_id, day, label, full_count, aggregate_count) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (site_id, day, label) DO UPDATE SET
      full_count = full_count + excluded.full_count,
      aggregate_count = aggregate_count + excluded.aggregate_count
  \`);
}
function prepareRemoval(database, table) {
  const row = "site_id = ? AND day = ? AND label = ?";
  return {
    subtract: database.prepare(\`
      UPDATE \${table} SET full_count = full_count - ?, aggregate_count = aggregate_count - ? WHERE \${row}
    \`),
    drop: database.prepare(\`DELETE FROM \${table} WHERE \${row} AND full_count + aggregate_count <= 0\`)
  };
}

// src/ingest/stores/sqlite/sqlite_store.ts
var SCHEMA_VERSION = 1;
var BUSY_TIMEOUT_MS = 2e3;
var CACHE_KIB = 65536;
var CHECKPOINT_PAGES = 4e3;
var LOG_BYTES = 2 * CHECKPOINT_PAGES * 4096;
var LONG_LOG_BYTES = 2 * LOG_BYTES;
var SCHEMA2 = \`
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    api_key TEXT NOT NULL,
    id TEXT NOT NULL,
    event TEXT NOT NULL,
    name TEXT AS (event ->> '$.name') VIRTUAL,
    collection TEXT AS (event ->> '$.collection') VIRTUAL,
    timestamp TEXT AS (event ->> '$.timestamp') VIRTUAL,
    received_at TEXT AS (event ->> '$.receivedAt') VIRTUAL,
    session_id TEXT AS (event ->> '$.sessionId') VIRTUAL,
    UNIQUE (api_key, id)
  ) STRICT;
  PRAGMA user_version = \${SCHEMA_VERSION};
\`;
var PAGEVIEWS = \`
  CREATE TABLE pageviews (
    api_key TEXT NOT NULL,
    month TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (api_key, month)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO pageviews
    SELECT api_key, substr(received_at, 1, 7) AS month, count(*)
    FROM events WHERE name = '\${PAGEVIEW_NAME}' GROUP BY api_key, month;
\`;
var ARRIVAL_INDEX = "CREATE INDEX IF NOT EXISTS events_by_arrival ON events (received_at)";
var INSERT = "INSERT INTO events (api_key, id, event) VALUES (?, ?, ?) ON CONFLICT (api_key, id) DO NOTHING";
var ADD_PAGEVIEWS = \`
  INSERT INTO pageviews (api_key, month, count) VALUES (?, ?, ?)
  ON CONFLICT (api_key, month) DO UPDATE SET count = count + excluded.count RETURNING count
\`;
var COUNT_PAGEVIEWS = "SELECT count FROM pageviews WHERE api_key = ? AND month = ?";
var SELECT_ALL = "SELECT event FROM events ORDER BY seq";
function openStore({ DatabaseSync }, path) {
  let database;
  try {
    database = new DatabaseSync(path);
    database.exec(\`PRAGMA busy_timeout = \${BUSY_TIMEOUT_MS}\`);
    prepareLayout(database);
    const insert = database.prepare(INSERT);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    database.exec(\`PRAGMA cache_size = -\${CACHE_KIB}; PRAGMA wal_autocheckpoint = \${CHECKPOINT_PAGES};\`);
    database.exec(\`PRAGMA journal_size_limit = \${LOG_BYTES}\`);
    database.exec("PRAGMA secure_delete = ON");
    checkWritable(database);
    if (!has(database, "events_by_arrival")) database.exec(ARRIVAL_INDEX);
    return {
      database,
      insert,
      addPageviews: database.prepare(ADD_PAGEVIEWS),
      countPageviews: database.prepare(COUNT_PAGEVIEWS),
      selectAll: database.prepare(SELECT_ALL),
      rollup: openRollup(database),
      erasures: openErasures(database, path)
    };
  } catch (cause) {
    database?.close();
    throw new Error(\`the SQLite database \${JSON.stringify(path)} can't be used: \${describeError(cause)}\`, { cause });
  }
}
function readVersion(database) {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}
function prepareLayout(database) {
  const version = readVersion(database);
  if (version > SCHEMA_VERSION) throw new Error(\`its layout \${version} is newer than \${SCHEMA_VERSION}\`);
  if (version === SCHEMA_VERSION && has(database, "pageviews")) return;
  database.exec("BEGIN IMMEDIATE");
  if (readVersion(database) === 0) {
    if (hasAnything(database)) throw new Error("it holds something else");
    database.exec(SCHEMA2);
  }
  if (!has(database, "pageviews")) database.exec(PAGEVIEWS);
  database.exec("COMMIT");
}
function checkWritable(database) {
  database.exec(\`BEGIN IMMEDIATE; PRAGMA user_version = \${SCHEMA_VERSION}; ROLLBACK;\`);
}
function hasAnything(database) {
  const sql = "SELECT 1 FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*'";
  return database.prepare(sql).get() !== void 0;
}
function has(database, name) {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== void 0;
}

// src/ingest/stores/sqlite/worker/data_calls.ts
var BUSY_TIMEOUT_MS2 = 1e4;
function createDataCalls() {
  let opened;
  function find() {
    if (opened === void 0) throw new Error("the database is closed");
    return opened;
  }
  function findAll(id) {
    const { blocks, predicates } = find();
    return { blocks, isSelected: predicates.get(id) ?? (() => false) };
  }
  function findShown(id) {
    const { blocks, isSelected } = findAll(id);
    const isErased2 = find().store.erasures.read();
    return { blocks, isSelected: (event) => isSelected(event) && !isErased2(event) };
  }
  return {
    dataOpen: (path) => {
      if (!isFile(path) || statSync3(path, { throwIfNoEntry: false }) === void 0) {
        throw new Error(\`there is no SQLite database \${JSON.stringify(path)}\`);
      }
      const store = openStore(loadSqlite(), path);
      store.database.exec(\`PRAGMA busy_timeout = \${BUSY_TIMEOUT_MS2}\`);
      opened = { store, blocks: openBlocks(store), predicates: /* @__PURE__ */ new Map() };
    },
    dataHasKey: (apiKey) => {
      const { blocks, store: { erasures } } = find();
      return blocks.hasKey(apiKey) || erasures.hasKey(erasures.hashKey(apiKey));
    },
    dataSelect: (id, selection) => {
      find().predicates.set(id, createPredicate(selection));
    },
    dataFind: (id, after, isForDeletion) => {
      const { blocks, isSelected } = isForDeletion ? findAll(id) : findShown(id);
      return blocks.find(after, isSelected);
    },
    dataRead: (id, after) => {
      const { blocks, isSelected } = findShown(id);
      return blocks.read(after, isSelected);
    },
    dataLast: () => find().blocks.last(),
    dataReadRange: (range) => {
      const { blocks, store: { erasures } } = find();
      return blocks.readRange(range, erasures.read());
    },
    dataRemove: (id, after) => {
      const { blocks, isSelected } = findAll(id);
      return blocks.remove(after, isSelected);
    },
    dataCountOld: (before) => find().blocks.countOld(before),
    dataRemoveOld: (before) => find().blocks.removeOld(before),
    dataIsBeforeNewest: (time) => find().blocks.isBeforeNewest(time),
    dataKeep: (erasures) => find().store.erasures.keep(erasures),
    dataPending: () => find().store.erasures.listPending(),
    dataFinish: (erasures) => find().store.erasures.finish(erasures),
    dataForget: (before, isTry) => find().store.erasures.forget(before, isTry),
    dataVacuum: () => tryToVacuum(find().store.database),
    dataEmptyLog: () => tryToEmptyLog(find().store.database),
    dataClose: () => {
      opened?.store.database.close();
      opened = void 0;
    }
  };
}
function tryToEmptyLog(database) {
  database.exec("PRAGMA busy_timeout = 0");
  const row = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  database.exec(\`PRAGMA busy_timeout = \${BUSY_TIMEOUT_MS2}\`);
  return Number(row?.busy) === 0;
}
function tryToVacuum(database) {
  try {
    database.exec("VACUUM");
    return true;
  } catch (error) {
    if (/locked|busy/.test(describeError(error))) return false;
    throw error;
  }
}

// src/ingest/ports/reader.ts
var MAX_SITES = 1e3;
function parseViolation(label) {
  const end = label.indexOf(" ");
  return { name: label.slice(end + 1), kind: label.slice(0, end) };
}
function sumCounts(rows) {
  const full = rows.reduce((sum, row) => sum + row.full, 0);
  const aggregate = rows.reduce((sum, row) => sum + row.aggregate, 0);
  return { full, aggregate, total: full + aggregate };
}

// src/ingest/stores/sqlite/sqlite_tail.ts
function toTailName({ seq, id }) {
  return \`\${seq} \${id}\`;
}

// src/ingest/stores/sqlite/worker/reader_calls.ts
var BUSY_TIMEOUT_MS3 = 2e3;
var [LOG_WAIT_MS, LOG_LOOK_MS] = [1e3, 20];
var { paths, referrers, names, sessions, visitors, users, violations } = ROLLUP_TABLES;
var OF_SITE = "site_id = (SELECT site_id FROM report_sites WHERE api_key = ?1 AND site = ?2)";
var IN_RANGE = \`\${OF_SITE} AND day BETWEEN ?3 AND ?4\`;
var SUMS = "sum(full_count) AS full_count, sum(aggregate_count) AS aggregate_count";
var SITES2 = \`
  SELECT site FROM report_sites JOIN \${names} USING (site_id) WHERE api_key = ?1 AND site <> ''
  GROUP BY site_id ORDER BY sum(full_count + aggregate_count) DESC, site LIMIT \${MAX_SITES}
\`;
var DAYS = \`SELECT day, \${SUMS} FROM \${paths} WHERE \${IN_RANGE} GROUP BY day\`;
var SESSIONS_BY_DAY = \`SELECT day, count(*) AS sessions FROM \${sessions} WHERE \${IN_RANGE} GROUP BY day\`;
var SESSIONS = buildDistinct(sessions);
var VISITORS = buildDistinct(visitors);
var USERS = buildDistinct(users);
var PATHS = buildTop(paths);
var REFERRERS = buildTop(referrers, "AND label NOT IN (SELECT value FROM json_each(?6))");
var NAMES = buildTop(names);
var VIOLATIONS = buildTop(violations);
var PATH_BY_DAY = \`SELECT day, label, full_count, aggregate_count FROM \${paths} WHERE \${IN_RANGE} AND label = ?5 ORDER BY day\`;
var PATHS_OF_DAY = \`SELECT day, label, full_count, aggregate_count FROM \${paths} WHERE \${OF_SITE} AND day = ?3 ORDER BY label\`;
var LAST_DAY = \`SELECT max(day) AS day FROM \${names} WHERE \${OF_SITE}\`;
var PAGEVIEWS_OF_MONTH = "SELECT count FROM pageviews WHERE api_key = ?1 AND month = ?2";
var OF_KEY = "(?1 IS NULL OR api_key = ?1)";
var MAX_LOOK_BACK = 1e5;
var NEWEST = "SELECT max(seq) AS seq FROM events";
var TAIL_NEWEST = \`
  SELECT seq, id, event FROM events WHERE seq > ?2 AND \${OF_KEY} ORDER BY seq DESC LIMIT ?3
\`;
var TAIL_AFTER = \`SELECT seq, id, event FROM events WHERE seq > ?2 AND \${OF_KEY} ORDER BY seq LIMIT ?3\`;
var [TAIL_EVENTS, TAIL_UNITS] = [1e3, 4 * 1024 * 1024];
function createReaderCalls() {
  return {
    find: (path) => {
      withDatabase(path, () => {
      });
      return toWholePath(path);
    },
    sites: (path, apiKey) => withDatabase(path, (select) => select(SITES2, apiKey).map(({ site }) => String(site))),
    read: (path, scope, limits) => withDatabase(path, (select) => readReport(select, { ...scope, ...limits })),
    readPath: (path, { apiKey, site, from, to }, pagePath) => withDatabase(path, (select) => select(PATH_BY_DAY, apiKey, site, from, to, pagePath).map(readPageviewRow)),
    countPageviews: (path, apiKey, month) => withDatabase(path, (select) => Number(select(PAGEVIEWS_OF_MONTH, apiKey, month)[0]?.count ?? 0)),
    lastDay: (path, { apiKey, site }) => withDatabase(path, (select) => {
      const day = select(LAST_DAY, apiKey, site)[0]?.day;
      return typeof day === "string" ? day : void 0;
    }),
    readDay: (path, { apiKey, site }, day) => withDatabase(path, (select) => select(PATHS_OF_DAY, apiKey, site, day).map(readPageviewRow)),
    tailNewest: (path, apiKey, count) => withDatabase(path, (select, database) => {
      const newest = Number(select(NEWEST)[0]?.seq ?? 0);
      const found = database.prepare(TAIL_NEWEST).iterate(apiKey, newest - MAX_LOOK_BACK, count);
      const { rows, isMore } = readTail(found);
      return { rows: rows.toReversed(), newest, isMore };
    }),
    tailAfter: (path, apiKey, { after, known }) => withDatabase(path, (select, database) => {
      const newest = Number(select(NEWEST)[0]?.seq ?? 0);
      const found = database.prepare(TAIL_AFTER).iterate(apiKey, after, TAIL_EVENTS + known.length);
      return { ...readTail(found, new Set(known)), newest };
    })
  };
}
function readTail(found, known = /* @__PURE__ */ new Set()) {
  const rows = [];
  let units = 0;
  for (const { seq, id, event } of found) {
    const row = { seq: Number(seq), id: String(id), event: String(event) };
    if (known.has(toTailName(row))) continue;
    rows.push(row);
    units += row.event.length;
    if (units >= TAIL_UNITS) return { rows, isMore: true };
  }
  return { rows, isMore: rows.length >= TAIL_EVENTS };
}
function waitForShortLog(path) {
  const endMs = performance.now() + LOG_WAIT_MS;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (isLogLong(path) && performance.now() < endMs) Atomics.wait(cell, 0, 0, LOG_LOOK_MS);
}
function isLogLong(path) {
  return measureLog(path) > LONG_LOG_BYTES;
}
function withDatabase(path, read) {
  const { DatabaseSync } = loadSqlite();
  let database;
  waitForShortLog(path);
  try {
    const opened = new DatabaseSync(path, { readOnly: true });
    database = opened;
    opened.exec(\`PRAGMA busy_timeout = \${BUSY_TIMEOUT_MS3}\`);
    if (!hasRollup(opened)) throw new Error("no SQLite sink of this version has opened it yet");
    opened.exec("BEGIN");
    return read((query, ...values) => opened.prepare(query).all(...values), opened);
  } catch (cause) {
    throw new Error(\`the SQLite database \${JSON.stringify(path)} can't be read: \${describeError(cause)}\`, { cause });
  } finally {
    database?.close();
  }
}
function readReport(select, { apiKey, site, from, to, ownOrigins = [], rows }) {
  const scope = [apiKey, site, from, to];
  const days = mergeDays(select(DAYS, ...scope), select(SESSIONS_BY_DAY, ...scope));
  const paths2 = select(PATHS, ...scope, rows);
  const referrers2 = select(REFERRERS, ...scope, rows, JSON.stringify(ownOrigins));
  const names2 = select(NAMES, ...scope, rows);
  const violations2 = select(VIOLATIONS, ...scope, rows);
  const countDistinct = (query) => Number(select(query, ...scope)[0]?.count ?? 0);
  return {
    totals: {
      pageviews: sumCounts(days),
      visitors: countDistinct(VISITORS),
      users: countDistinct(USERS),
      sessions: countDistinct(SESSIONS),
      events: Number(names2[0]?.events ?? 0),
      paths: Number(paths2[0]?.labels ?? 0),
      referrers: Number(referrers2[0]?.labels ?? 0),
      names: Number(names2[0]?.labels ?? 0),
      violations: Number(violations2[0]?.labels ?? 0)
    },
    days,
    paths: paths2.map((row) => ({ path: String(row.label), ...readCounts(row) })),
    referrers: referrers2.map((row) => ({ referrer: String(row.label) || null, ...readCounts(row) })),
    events: names2.map((row) => ({ name: String(row.label), count: readCounts(row).total })),
    violations: violations2.map((row) => ({ ...parseViolation(String(row.label)), count: readCounts(row).total }))
  };
}
function readPageviewRow(row) {
  return { day: String(row.day), path: String(row.label), ...readCounts(row) };
}
function readCounts(row = {}) {
  return sumCounts([{ full: Number(row.full_count ?? 0), aggregate: Number(row.aggregate_count ?? 0) }]);
}
function mergeDays(pageviews, sessions2) {
  const viewsOf = new Map(pageviews.map((row) => [String(row.day), row]));
  const sessionsOf = new Map(sessions2.map((row) => [String(row.day), Number(row.sessions)]));
  const days = [.../* @__PURE__ */ new Set([...viewsOf.keys(), ...sessionsOf.keys()])].sort();
  return days.map((day) => ({ day, ...readCounts(viewsOf.get(day)), sessions: sessionsOf.get(day) ?? 0 }));
}
function buildDistinct(table) {
  return \`SELECT count(*) AS count FROM (SELECT 1 FROM \${table} WHERE \${IN_RANGE} GROUP BY label)\`;
}
function buildTop(table, condition = "") {
  return \`
    SELECT label, \${SUMS}, count(*) OVER () AS labels, sum(sum(full_count + aggregate_count)) OVER () AS events
    FROM \${table} WHERE \${IN_RANGE} \${condition}
    GROUP BY label ORDER BY sum(full_count + aggregate_count) DESC, label LIMIT ?5
  \`;
}

// src/ingest/stores/sqlite/sqlite_backup.ts
function createBackupCalls() {
  return {
    backUp: (path, copyPath) => {
      const { DatabaseSync } = loadSqlite();
      const database = new DatabaseSync(path, { readOnly: true });
      try {
        if (readVersion(database) !== SCHEMA_VERSION) throw new Error(\`\${path} isn't a database of this ingest\`);
        if (findBuiltin("node:fs")?.existsSync(copyPath) === false) throw new Error(\`\${copyPath} is gone\`);
        database.prepare("VACUUM INTO ?").run(copyPath);
      } finally {
        database.close();
      }
    }
  };
}

// src/ingest/stores/sqlite/sqlite_correction.ts
function createCorrection() {
  let work;
  function begin(store) {
    const erasures = store.erasures.listPending();
    if (erasures.length === 0) return void 0;
    return { erasures, blocks: openBlocks(store), isSelected: createPredicate({ erasures }), after: 0 };
  }
  return (store) => {
    const current = work ?? begin(store);
    work = current;
    if (current === void 0) return false;
    const { last, isLast } = current.blocks.remove(current.after, current.isSelected);
    if (isLast) store.erasures.finish(current.erasures);
    work = isLast ? void 0 : { ...current, after: last };
    return true;
  };
}

// src/ingest/stores/sqlite/sqlite_commit.ts
function commitBatches(store, batches) {
  const { database } = store;
  const stored = [];
  database.exec("BEGIN IMMEDIATE");
  try {
    const isErased2 = store.erasures.read();
    const outcomes = batches.map((batch) => storeBatch(store, batch, { stored, isErased: isErased2 }));
    countForReports(store, stored);
    database.exec("COMMIT");
    return outcomes;
  } catch (error) {
    tryToRun(store, "ROLLBACK");
    throw error;
  }
}
function storeBatch(store, batch, { stored, isErased: isErased2 }) {
  store.database.exec("SAVEPOINT batch");
  try {
    const { events, committed } = insertEvents(store, batch, isErased2);
    store.database.exec("RELEASE batch");
    stored.push({ apiKey: batch.apiKey, events });
    return committed;
  } catch (error) {
    if (!tryToRun(store, "ROLLBACK TO batch; RELEASE batch")) throw error;
    return { fault: describeError(error) };
  }
}
function insertEvents(store, { apiKey, texts }, isErased2) {
  const events = texts.map((text) => JSON.parse(text));
  const keyHash = store.erasures.hashKey(apiKey);
  const kept = [...events.entries()].filter(([, event]) => !isErased2(toOwner(keyHash, event)));
  const stored = kept.filter(([index, { id }]) => store.insert.run(apiKey, id, texts[index] ?? "").changes > 0).map(([index]) => index);
  const erased = events.length - kept.length;
  const newEvents = stored.flatMap((index) => events[index] ?? []);
  const pageviews = newEvents.filter(isPageview);
  const [first] = pageviews;
  if (first === void 0) return { events: newEvents, committed: { stored, erased } };
  const row = store.addPageviews.get(apiKey, monthOf(first.receivedAt), pageviews.length);
  return { events: newEvents, committed: { stored, erased, pageviewsThisMonth: Number(row?.count) } };
}
function countForReports({ rollup }, stored) {
  for (const [apiKey, ofKey] of Map.groupBy(stored, ({ apiKey: apiKey2 }) => apiKey2)) {
    rollup.add(apiKey, ofKey.flatMap(({ events }) => events));
  }
}
function tryToRun({ database }, statement) {
  try {
    database.exec(statement);
    return true;
  } catch {
    return false;
  }
}

// src/ingest/stores/sqlite/sqlite_file_guard.ts
import { closeSync as closeSync3, openSync as openSync3, statSync as statSync4 } from "node:fs";
var NEW_FILE_MODE = 384;
function openGuarded(sqlite, path) {
  if (isFile(path)) createPrivately(path);
  const store = openStore(sqlite, path);
  const opened = isFile(path) ? [path, toLogPath(path)].map((file) => ({ file, identity: identify(file) })) : [];
  let fault;
  let isOpen = true;
  function look() {
    const lost = opened.find(({ file, identity }) => identify(file) !== identity);
    if (lost !== void 0) fault ??= buildFault(lost.file);
    if (fault === void 0) return;
    if (isOpen && emptyLog(store)) close();
    throw fault;
  }
  function close() {
    store.database.close();
    isOpen = false;
  }
  return {
    use: (work) => {
      look();
      try {
        return work(store);
      } finally {
        look();
      }
    },
    close: () => {
      try {
        look();
      } catch {
      }
      if (isOpen) close();
    }
  };
}
function createPrivately(path) {
  try {
    closeSync3(openSync3(path, "wx", NEW_FILE_MODE));
  } catch {
  }
}
function identify(path) {
  try {
    const { dev, ino } = statSync4(path);
    return \`\${dev} \${ino}\`;
  } catch {
    return void 0;
  }
}
function buildFault(path) {
  const reason = \`\${JSON.stringify(path)} was removed or replaced: start the process anew\`;
  return new Error(\`the SQLite database can't be written: \${reason}\`);
}
function emptyLog({ database }) {
  try {
    database.exec("PRAGMA busy_timeout = 0");
    return Number(database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy) === 0;
  } catch {
    return false;
  }
}

// src/ingest/stores/sqlite/worker/sink_calls.ts
var LOOK_EVERY_MS = 500;
var CORRECT_EVERY_MS = 25;
var PATIENCE_MS = 2e3;
var ATTEMPT_WAIT_MS = 50;
function createSinkCalls() {
  let opened;
  function find() {
    if (opened === void 0) throw new Error("the SQLite sink is closed");
    return opened;
  }
  return {
    open: (givenPath) => {
      const path = toWholePath(givenPath);
      const guard = openGuarded(loadSqlite(), path);
      opened = { path, guard, timer: correctRegularly(guard) };
    },
    commit: (batches) => find().guard.use((store) => commitBatches(store, batches)),
    check: async () => {
      const { path, guard } = find();
      guard.use(() => {
      });
      if (isFile(path)) await probe(loadSqlite(), path);
    },
    events: () => find().guard.use(({ selectAll }) => selectAll.all().map(({ event }) => String(event))),
    pageviews: (apiKey, month) => find().guard.use(({ countPageviews }) => Number(countPageviews.get(apiKey, month)?.count ?? 0)),
    close: () => {
      const { guard, timer } = find();
      timer.stop();
      opened = void 0;
      guard.close();
    }
  };
}
function correctRegularly(guard) {
  const correct = createCorrection();
  let timer;
  function tick() {
    let isMore = false;
    try {
      isMore = guard.use(correct);
    } catch {
    }
    timer = setTimeout(tick, isMore ? CORRECT_EVERY_MS : LOOK_EVERY_MS);
  }
  timer = setTimeout(tick, CORRECT_EVERY_MS);
  return { stop: () => clearTimeout(timer) };
}
async function probe(sqlite, path) {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (; ; ) {
    const reason = findFault(sqlite, path);
    if (reason === void 0) return;
    if (!isLocked(reason) || performance.now() >= deadlineMs) {
      throw new Error(\`the SQLite database can't be written: \${reason}\`);
    }
    await new Promise((resolve2) => setTimeout(resolve2, ATTEMPT_WAIT_MS));
  }
}
function findFault({ DatabaseSync }, path) {
  let database;
  try {
    database = new DatabaseSync(path);
    database.exec("PRAGMA busy_timeout = 0");
    checkWritable(database);
  } catch (error) {
    return describeError(error);
  } finally {
    database?.close();
  }
}
function isLocked(reason) {
  return /locked|busy/.test(reason);
}

// src/ingest/stores/sqlite/worker/worker.ts
process.removeAllListeners("warning");
process.on("warning", (warning) => {
  if (warning.name !== "ExperimentalWarning") console.error(String(warning));
});
var calls = { ...createSinkCalls(), ...createReaderCalls(), ...createDataCalls(), ...createBackupCalls() };
parentPort?.on("message", async (message) => parentPort?.postMessage(await answer(message)));
async function answer({ id, name, args }) {
  try {
    return { id, result: await calls[name]?.(...args) };
  } catch (error) {
    return { id, fault: describeError(error) };
  }
}
`;
