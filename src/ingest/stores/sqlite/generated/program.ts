/** The program of worker.ts. `deno task generate` writes it: change the sources. */
export const PROGRAM: string = `
import process from "node:process";
import { parentPort } from "node:worker_threads";

function describeError(error) {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\\n");
  return line;
}

import { statSync as statSync3 } from "node:fs";

var NO_SQLITE = "SQLite needs node:sqlite, which Deno has since 2.2 and Node since 22.13";
function findBuiltin(name, { process: process2 } = globalThis) {
  return process2?.getBuiltinModule?.(name);
}

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

import { closeSync, fsyncSync, openSync } from "node:fs";
function syncDirectory(path) {
  try {
    const directory = openSync(path, "r");
    fsyncSync(directory);
    closeSync(directory);
  } catch {
  }
}

var ATTEMPT_WAIT_MS = 1;
var NEVER = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
function runLocked(database, statement) {
  const timeoutMs = Number(database.prepare("PRAGMA busy_timeout").get()?.timeout);
  const endMs = performance.now() + timeoutMs;
  database.exec("PRAGMA busy_timeout = 0");
  try {
    while (!tryToRun(database, statement, performance.now() >= endMs)) pause(ATTEMPT_WAIT_MS);
  } finally {
    database.exec(\`PRAGMA busy_timeout = \${timeoutMs}\`);
  }
}
function inTransaction(database, work) {
  runLocked(database, "BEGIN IMMEDIATE");
  return finish(database, work);
}
function inSnapshot(database, read) {
  database.exec("BEGIN");
  return finish(database, read);
}
function finish(database, work) {
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
function isLocked(error) {
  return /locked|busy/.test(describeError(error));
}
function pause(durationMs) {
  Atomics.wait(NEVER, 0, 0, durationMs);
}
function tryToRun(database, statement, isLast) {
  try {
    database.exec(statement);
    return true;
  } catch (error) {
    if (isLast || !isLocked(error)) throw error;
    return false;
  }
}

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
  if (database.prepare(HAS_TABLE).get() === void 0) inTransaction(database, () => database.exec(SCHEMA));
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

var PIECE_ROWS = 100;
function* readPieces(after, read) {
  for (; ; ) {
    const rows = read(after, PIECE_ROWS);
    yield* rows;
    if (rows.length < PIECE_ROWS) return;
    after = Number(rows.at(-1)?.seq);
  }
}

var [LOOK_EVENTS, DELETE_EVENTS] = [5e3, 500];
var SINCE_ROWS = 1e3;
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
function openBlocks({ database, erasures: { hashKey: hashKey2 } }) {
  const select = database.prepare(SELECT2);
  const selectEvent = database.prepare("SELECT seq, api_key, event FROM events WHERE seq = ?");
  const selectLast = database.prepare("SELECT max(seq) AS seq FROM events");
  const selectRange = database.prepare(SELECT_RANGE);
  const drop = database.prepare("DELETE FROM events WHERE seq = ?");
  const countOld = database.prepare(\`SELECT count(*) AS count FROM events WHERE \${OLD2}\`);
  const selectOld = database.prepare(
    \`SELECT seq, length(event) AS units FROM events WHERE \${OLD2} ORDER BY received_at LIMIT \${DELETE_EVENTS}\`
  );
  const selectOfKey = database.prepare(
    "SELECT 1 FROM events WHERE api_key = :key UNION ALL SELECT 1 FROM pageviews WHERE api_key = :key LIMIT 1"
  );
  const selectAny = database.prepare("SELECT 1 FROM events LIMIT 1");
  const selectSince = database.prepare(
    "SELECT timestamp FROM events WHERE received_at >= ? ORDER BY received_at DESC LIMIT ? OFFSET ?"
  );
  function removeSelected(seqs, isSelected) {
    const found = seqs.flatMap((seq) => {
      const row = selectEvent.get(seq);
      return row === void 0 ? [] : [readEvent(row)];
    }).filter(({ apiKey, event }) => isSelected(toOwner(hashKey2(apiKey), event)));
    const removed = found.map(({ seq }) => seq);
    removeEvents(removed);
    return new Set(removed);
  }
  function removeEvents(seqs) {
    for (const seq of seqs) drop.run(seq);
  }
  function findOld(before) {
    const seqs = [];
    let sum = 0;
    for (const { seq, units } of selectOld.all(before)) {
      seqs.push(Number(seq));
      sum += Number(units);
      if (sum >= MAX_UNITS) break;
    }
    return seqs;
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
      const read = (last2, most) => selectRange.all(last2, until, apiKey ?? null, most);
      for (const row of readPieces(after, read)) {
        const text = String(row.event);
        const event = JSON.parse(text);
        const keyHash = hashKey2(String(row.apiKey));
        last = Number(row.seq);
        count += 1;
        const timeMs = Date.parse(event.timestamp);
        if (timeMs >= fromMs && timeMs < toMs && !isErased2(toOwner(keyHash, event))) {
          selected.push({ keyHash, text });
          sum += text.length;
        }
        if (sum >= MAX_UNITS || count === LOOK_EVENTS) return { selected, last, isLast: false };
      }
      return { selected, last, isLast: true };
    },
    remove: (after, isSelected) => {
      const block = readBlock(select, { hashKey: hashKey2, after, isSelected, events: DELETE_EVENTS, units: MAX_UNITS });
      if (block.selected.length === 0) return block;
      const removed = inTransaction(database, () => removeSelected(block.selected.map(({ seq }) => seq), isSelected));
      return { ...block, selected: block.selected.filter(({ seq }) => removed.has(seq)) };
    },
    countOld: (before) => Number(countOld.get(before)?.count),
    removeOld: (before) => inTransaction(database, () => {
      const seqs = findOld(before);
      removeEvents(seqs);
      return seqs.length;
    }),
    isBeforeNewest: (time) => {
      const timeMs = Date.parse(time);
      for (let offset = 0; ; offset += SINCE_ROWS) {
        const rows = selectSince.all(time, SINCE_ROWS, offset);
        if (rows.some(({ timestamp }) => Date.parse(String(timestamp)) >= timeMs)) return true;
        if (rows.length < SINCE_ROWS) return selectAny.get() === void 0;
      }
    }
  };
}
function readEvent({ seq, api_key, event }) {
  return { seq: Number(seq), apiKey: String(api_key), event: JSON.parse(String(event)) };
}
function readBlock(select, { hashKey: hashKey2, after, events = Infinity, units: maxUnits = Infinity, isSelected }) {
  const selected = [];
  let [last, count, sum] = [after, 0, 0];
  for (const row of readPieces(after, (last2, most) => select.all(last2, most))) {
    const { units, apiKey, userId, anonymousId, ...rest } = row;
    const owner = {
      ...rest,
      keyHash: hashKey2(apiKey),
      userId: parseOwnerId(userId),
      anonymousId: parseOwnerId(anonymousId)
    };
    count += 1;
    last = owner.seq;
    if (isSelected(owner)) {
      selected.push(owner);
      sum += units;
    }
    if (selected.length >= events || sum >= maxUnits || count === LOOK_EVENTS) {
      return { selected, last, isLast: false };
    }
  }
  return { selected, last, isLast: true };
}

function loadSqlite(runtime) {
  const sqlite = findBuiltin("node:sqlite", runtime);
  if (sqlite === void 0) throw new Error(NO_SQLITE);
  return sqlite;
}

var MAX_TOLD_SOURCES = 1e4;
var UNTOLD_CHANNEL = "Other";
var HOSTS = {
  "AI assistants": [
    ...["chatgpt.com", "chat.openai.com", "openai.com", "perplexity.ai", "claude.ai", "gemini.google.com"],
    ...[
      "bard.google.com",
      "copilot.microsoft.com",
      "copilot.com",
      "chat.mistral.ai",
      "chat.deepseek.com",
      "deepseek.com"
    ],
    ...["grok.com", "x.ai", "meta.ai", "poe.com", "you.com", "phind.com", "kimi.com", "chat.qwen.ai", "duck.ai"]
  ],
  "Email": [
    ...["mail.google.com", "outlook.live.com", "outlook.office.com", "outlook.office365.com", "mail.yahoo.com"],
    ...[
      "mail.proton.me",
      "app.fastmail.com",
      "mail.zoho.com",
      "e.mail.ru",
      "mail.aol.com",
      "webmail.gmx.net",
      "gmx.net"
    ],
    ...["web.de", "mail.yandex.", "com.google.android.gm"]
  ],
  "Messages": [
    ...["web.whatsapp.com", "whatsapp.com", "wa.me", "t.me", "web.telegram.org", "telegram.org", "discord.com"],
    ...["slack.com", "teams.microsoft.com", "messenger.com", "signal.org", "line.me", "org.telegram.messenger"],
    ...["chat.google.com", "m.me", "com.slack"]
  ],
  "Search": [
    ...["google.", "bing.com", "duckduckgo.com", "yahoo.", "yandex.", "ya.ru", "baidu.com", "ecosia.org", "qwant.com"],
    ...["startpage.com", "search.brave.com", "kagi.com", "naver.com", "seznam.cz", "mojeek.com", "sogou.com", "so.com"],
    ...["swisscows.com", "ask.com", "search.aol.com", "daum.net", "metager.org", "metager.de", "search.marginalia.nu"],
    ...["com.google.android.googlequicksearchbox"]
  ],
  "Social": [
    ...["facebook.com", "fb.com", "instagram.com", "threads.net", "threads.com", "twitter.com", "x.com", "t.co"],
    ...["linkedin.com", "lnkd.in", "com.linkedin.android", "reddit.com", "out.reddit.com", "pinterest.", "tumblr.com"],
    ...[
      "tiktok.com",
      "snapchat.com",
      "bsky.app",
      "go.bsky.app",
      "mastodon.social",
      "mastodon.online",
      "vk.com",
      "ok.ru"
    ],
    ...["weibo.com", "xing.com", "quora.com", "news.ycombinator.com", "lobste.rs", "medium.com", "producthunt.com"],
    ...["stackoverflow.com", "dev.to", "com.facebook.katana", "nextdoor.com"]
  ],
  "Video": ["youtube.com", "youtu.be", "vimeo.com", "twitch.tv", "dailymotion.com", "bilibili.com", "nicovideo.jp"]
};
var OTHERS = [
  ...["docs.google.com", "drive.google.com", "sites.google.com", "groups.google.com", "calendar.google.com"],
  ...["meet.google.com", "classroom.google.com", "translate.google.com", "disk.yandex.", "translate.yandex."]
];
var SOURCES = new Map(Object.entries({
  "chatgpt": "AI assistants",
  "perplexity": "AI assistants",
  "claude": "AI assistants",
  "gemini": "AI assistants",
  "copilot": "AI assistants",
  "google": "Search",
  "bing": "Search",
  "duckduckgo": "Search",
  "ecosia": "Search",
  "yahoo": "Search",
  "yandex": "Search",
  "baidu": "Search",
  "facebook": "Social",
  "fb": "Social",
  "meta": "Social",
  "instagram": "Social",
  "ig": "Social",
  "linkedin": "Social",
  "twitter": "Social",
  "x": "Social",
  "reddit": "Social",
  "tiktok": "Social",
  "pinterest": "Social",
  "threads": "Social",
  "bluesky": "Social",
  "mastodon": "Social",
  "youtube": "Video",
  "vimeo": "Video",
  "newsletter": "Email",
  "email": "Email",
  "mailchimp": "Email",
  "whatsapp": "Messages",
  "telegram": "Messages",
  "slack": "Messages"
}));
function buildTable(names) {
  return {
    // The first of two stays.
    whole: new Map(names.filter(([name]) => !name.endsWith(".")).toReversed()),
    open: names.filter(([name]) => name.endsWith("."))
  };
}
var FAMILIES = Object.keys(HOSTS);
var FAMILY_HOSTS = buildTable(
  FAMILIES.flatMap((family) => HOSTS[family].map((name) => [name, family]))
);
var OTHER_HOSTS = buildTable(OTHERS.map((name) => [name, true]));
var PAID = /^(cpc|ppc|cpv|cpa|paid.*|.*[-_ ]paid|retargeting|remarketing)$/;
var EMAIL = /^(e[-_ ]?mail|newsletter|mail)$/;
var DISPLAY = /^(display|banner|banners|interstitial|expandable|cpm|programmatic)$/;
var AFFILIATE = /^(affiliates?|partners?)$/;
var SOCIAL = /^(social|social[-_ ](network|media)|sm|organic[-_ ]social)$/;
var MESSAGE = /^(sms|push|web[-_ ]?push|mobile|notification|in[-_ ]?app|chat)$/;
function findChannel({ referrer, source, medium, campaign }) {
  const family = SOURCES.get(source.toLowerCase()) ?? findFamily(toHost(source)) ?? findFamily(toHost(referrer));
  const way = medium.toLowerCase();
  if (DISPLAY.test(way)) return "Display";
  if (PAID.test(way)) {
    if (family === "Search") return "Paid search";
    return family === "Social" || family === "Video" ? "Paid social" : "Display";
  }
  if (AFFILIATE.test(way)) return "Affiliates";
  if (EMAIL.test(way)) return "Email";
  if (SOCIAL.test(way)) return "Social";
  if (MESSAGE.test(way)) return "Messages";
  if (family !== void 0) return family;
  if (source !== "" || medium !== "" || campaign !== "") return "Other campaigns";
  return referrer === "" ? "Direct or unknown" : "Other sites";
}
var WAYPOINTS = [
  ...["paypal.com", "paypalobjects.com", "checkout.stripe.com", "hooks.stripe.com", "buy.stripe.com", "klarna.com"],
  ...["pay.google.com", "payments.amazon.com", "secure.worldpay.com", "adyen.com", "mollie.com", "sofort.com"],
  ...["3dsecure.io", "cardinalcommerce.com", "arcot.com", "squareup.com", "checkout.com", "paddle.com", "afterpay.com"],
  ...["alipay.com", "razorpay.com", "accounts.google.com", "appleid.apple.com", "login.microsoftonline.com"],
  ...["login.live.com", "auth0.com", "okta.com", "onelogin.com", "clerk.accounts.dev", "accounts.shopify.com"]
];
var WAYPOINT_HOSTS = buildTable(WAYPOINTS.map((name) => [name, true]));
function isWaypoint(origin) {
  if (origin === "") return false;
  return findAll(toHost(origin), WAYPOINT_HOSTS).length > 0;
}
function findFamily(host) {
  if (host === "" || findAll(host, OTHER_HOSTS).length > 0) return void 0;
  const found = findAll(host, FAMILY_HOSTS);
  return FAMILIES.find((family) => found.includes(family));
}
function findAll(host, { whole, open }) {
  const found = open.flatMap(([name, of]) => isOfCountry(host, name) ? [of] : []);
  for (let at = 0; at >= 0; at = host.indexOf(".", at) + 1 || -1) {
    const of = whole.get(host.slice(at));
    if (of !== void 0) found.push(of);
  }
  return found;
}
var COUNTRY = /^(com?\\.)?[a-z]{2,3}$/;
function isOfCountry(host, name) {
  const at = host.startsWith(name) ? 0 : host.indexOf(\`.\${name}\`) + 1;
  return (at > 0 || host.startsWith(name)) && COUNTRY.test(host.slice(at + name.length));
}
function toHost(origin) {
  const host = origin.toLowerCase().replace(/^[^:]*:\\/\\//, "").replace(/:\\d+$/, "").replace(/\\.$/, "");
  return host.replace(/^(www|m|l|lm)\\.(?=.*\\.)/, "");
}

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

var PAGEVIEW_NAME = "$pageview";
function isPageview({ name }) {
  return name === PAGEVIEW_NAME;
}
function monthOf(time) {
  return time.slice(0, "2026-01".length);
}

var VISIT_KINDS = ["aggregate", "pageview", "step", "automatic"];
var MAX_FACT_UNITS = 512;
var ENGAGEMENT_NAME = "$engagement";
var ENGAGED_MS = 1e4;
var LONG_SESSION_MS = 48 * 60 * 60 * 1e3;
var MAX_ENGAGED_MS = 864e5;
var SCREEN_WIDTHS = [576, 992, 1440];
var PLACE_DIGITS = 2;
var NOTHING = { referrer: "", source: "", medium: "", campaign: "", term: "", content: "" };
function createVisitReader() {
  const locate = createLocator();
  return (event) => readVisitFacts(event, locate);
}
function readVisitFacts(event, locate) {
  const { id, name, collection, timestamp, sessionId, identity, context, place = 0 } = event;
  const { origin, path } = locate(context?.pageUrl ?? "");
  const site = origin || (event.site ?? "");
  const referrer = locate(context?.referrer ?? "").origin;
  const isView = isPageview(event);
  const isFull = collection === "full";
  const kind = isView ? isFull ? "pageview" : "aggregate" : name.startsWith("$") ? "automatic" : "step";
  return {
    site: cut(site),
    time: readTime(timestamp) + (event.clockOffsetMs ?? 0),
    tie: \`\${String(place).padStart(PLACE_DIGITS, "0")} \${id}\`,
    kind,
    name: toFactText(name),
    path: cut(path),
    isArrival: isView && (referrer !== site || site === ""),
    from: readSource(context?.pageUrl ?? "", referrer === site || isWaypoint(referrer) ? "" : cut(referrer)),
    session: isFull ? toFactText(sessionId ?? "") : "",
    visitor: isFull ? toFactText(identity?.anonymousId ?? "") : "",
    user: isFull ? toFactText(identity?.userId ?? "") : "",
    screen: classifyScreen(context?.screenWidth),
    engagedMs: name === ENGAGEMENT_NAME ? readEngagement(event.properties?.engagedMs) : 0,
    flag: event.flag ?? ""
  };
}
function readTime(timestamp) {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? 0 : time;
}
function readEngagement(ms) {
  if (typeof ms !== "number" || !Number.isFinite(ms) || ms < 0) return 0;
  return Math.round(Math.min(ms, MAX_ENGAGED_MS));
}
function readSource(pageUrl, referrer) {
  const at = pageUrl.indexOf("utm_");
  if (at < 0) return referrer === "" ? NOTHING : { ...NOTHING, referrer };
  const query = pageUrl.slice(0, 8192).split("#", 1)[0]?.split("?").slice(1).join("?") ?? "";
  const parameters = new URLSearchParams(query);
  const read = (name) => cut(cleanLabel(parameters.get(name) ?? ""));
  return {
    referrer,
    source: read("utm_source"),
    medium: read("utm_medium"),
    campaign: read("utm_campaign"),
    term: read("utm_term"),
    content: read("utm_content")
  };
}
function isTagged({ source }) {
  return source !== "";
}
function classifyScreen(width) {
  if (width === void 0 || !(width > 0)) return 0;
  const index = SCREEN_WIDTHS.findIndex((limit) => width < limit);
  return index < 0 ? SCREEN_WIDTHS.length + 1 : index + 1;
}
function labelSource(from, by, ownOrigins) {
  const referrer = ownOrigins.includes(from.referrer) ? "" : from.referrer;
  if (by === "channel") return findChannel({ ...from, referrer });
  if (by === "source") return from.source || referrer;
  return by === "referrer" ? referrer : from[by];
}
function toFactText(text) {
  return cut(cleanLabel(text));
}
function cut(text) {
  return text.length > MAX_FACT_UNITS ? text.slice(0, MAX_FACT_UNITS).toWellFormed() : text;
}

var FACTS_SCHEMA = \`
  CREATE TABLE fact_scopes (
    id INTEGER PRIMARY KEY,
    api_key TEXT NOT NULL,
    site TEXT NOT NULL,
    flag TEXT NOT NULL,
    events INTEGER NOT NULL,
    UNIQUE (api_key, site, flag)
  ) STRICT;
  CREATE TABLE fact_texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE fact_sources (
    id INTEGER PRIMARY KEY,
    referrer TEXT NOT NULL,
    source TEXT NOT NULL,
    medium TEXT NOT NULL,
    campaign TEXT NOT NULL,
    term TEXT NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (referrer, source, medium, campaign, term, content)
  ) STRICT;
  CREATE TABLE facts (
    scope INTEGER NOT NULL,
    time INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    tie TEXT NOT NULL,
    kind INTEGER NOT NULL,
    is_arrival INTEGER NOT NULL,
    name INTEGER NOT NULL,
    path INTEGER NOT NULL,
    source INTEGER NOT NULL,
    screen INTEGER NOT NULL,
    engaged INTEGER NOT NULL,
    visit INTEGER,
    visitor INTEGER,
    user INTEGER,
    violation INTEGER,
    PRIMARY KEY (scope, time, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX facts_by_seq ON facts (seq);
  CREATE INDEX facts_by_visit ON facts (visit) WHERE visit IS NOT NULL;
  CREATE INDEX facts_alone ON facts (scope, time, kind, visitor, visit) WHERE visit IS NULL;
  CREATE INDEX facts_signed_in ON facts (scope, time, user) WHERE user IS NOT NULL;
  CREATE TABLE fact_properties (
    seq INTEGER NOT NULL,
    key INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    value ANY NOT NULL,
    PRIMARY KEY (seq, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE visits (
    id INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    session INTEGER NOT NULL,
    start INTEGER NOT NULL,
    start_tie TEXT NOT NULL,
    is_landing INTEGER NOT NULL,
    visitor INTEGER,
    is_mixed INTEGER NOT NULL,
    last INTEGER NOT NULL,
    events INTEGER NOT NULL,
    views INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    engaged INTEGER NOT NULL,
    entry INTEGER,
    entry_time INTEGER,
    entry_tie TEXT,
    exit INTEGER,
    exit_time INTEGER,
    exit_tie TEXT,
    tag INTEGER,
    tag_time INTEGER,
    tag_tie TEXT,
    referral INTEGER,
    referral_time INTEGER,
    referral_tie TEXT,
    UNIQUE (scope, session)
  ) STRICT;
  CREATE INDEX visits_by_start ON visits
    (scope, start, last, is_landing, is_mixed, visitor, events, views, steps, engaged);
  CREATE INDEX visits_long ON visits (scope, start, last) WHERE last - start > \${LONG_SESSION_MS};
  CREATE TABLE visits_stale (visit INTEGER PRIMARY KEY, losses INTEGER NOT NULL) STRICT;
  CREATE TABLE facts_mark (seq INTEGER NOT NULL, cuts INTEGER NOT NULL) STRICT;
  INSERT INTO facts_mark (seq, cuts) VALUES (0, 0);
  CREATE TRIGGER facts_after_delete AFTER DELETE ON events BEGIN
    INSERT INTO visits_stale SELECT visit, 1 FROM facts WHERE seq = OLD.seq AND visit IS NOT NULL
      ON CONFLICT (visit) DO UPDATE SET losses = losses + 1;
    UPDATE fact_scopes SET events = events - 1 WHERE id = (SELECT scope FROM facts WHERE seq = OLD.seq);
    DELETE FROM fact_properties WHERE seq = OLD.seq;
    DELETE FROM facts WHERE seq = OLD.seq;
    UPDATE facts_mark SET seq = (SELECT coalesce(max(seq), 0) FROM events), cuts = cuts + 1
      WHERE seq > (SELECT coalesce(max(seq), 0) FROM events);
  END;
\`;
var VALUE_KINDS = { text: 0, number: 1, boolean: 2, null: 3 };

var FORGET_TEXTS = 500;
var UNUSED_TEXTS = \`
  SELECT id FROM fact_texts WHERE id NOT IN (
    SELECT name FROM facts UNION SELECT path FROM facts
    UNION SELECT violation FROM facts WHERE violation IS NOT NULL
    UNION SELECT key FROM fact_properties
    UNION SELECT value FROM fact_properties WHERE kind = \${VALUE_KINDS.text}
  )
\`;
var UNUSED_SOURCES = "SELECT id FROM fact_sources WHERE id NOT IN (SELECT source FROM facts)";
var TEXTS_SINCE = \`
  SELECT name AS id FROM facts WHERE seq > ?1 UNION SELECT path FROM facts WHERE seq > ?1
  UNION SELECT violation FROM facts WHERE seq > ?1 AND violation IS NOT NULL
  UNION SELECT key FROM fact_properties WHERE seq > ?1
  UNION SELECT value FROM fact_properties WHERE seq > ?1 AND kind = \${VALUE_KINDS.text}
\`;
var SOURCES_SINCE = "SELECT source AS id FROM facts WHERE seq > ?";
function forgetTexts(database) {
  const prepare = (sql) => database.prepare(sql);
  const cuts = prepare("SELECT seq, cuts FROM facts_mark");
  const [dropText, dropSource] = [
    prepare("DELETE FROM fact_texts WHERE id = ?"),
    prepare("DELETE FROM fact_sources WHERE id = ?")
  ];
  function forget({ unused, since, drop }) {
    const begin = cuts.get();
    let ids = unused.all().map(({ id }) => Number(id));
    let seq = Number(begin?.seq);
    while (ids.length > 0) {
      const isRight = inTransaction(database, () => {
        const now = cuts.get();
        if (now?.cuts !== begin?.cuts) return false;
        if (Number(now?.seq) > seq) {
          const used = new Set(since.all(seq).map(({ id }) => Number(id)));
          ids = ids.filter((id) => !used.has(id));
          seq = Number(now?.seq);
        }
        for (const id of ids.splice(0, FORGET_TEXTS)) drop.run(id);
        return true;
      });
      if (!isRight) return forget({ unused, since, drop });
    }
  }
  forget({ unused: prepare(UNUSED_TEXTS), since: prepare(TEXTS_SINCE), drop: dropText });
  forget({ unused: prepare(UNUSED_SOURCES), since: prepare(SOURCES_SINCE), drop: dropSource });
}

var [PAGEVIEW, STEP] = [1, 2];
function addToVisit(visit, fact) {
  const { time, tie, kind, path, source } = fact;
  const mark = (value) => ({ time, tie, value });
  const isView = kind === PAGEVIEW;
  const isFirst = visit === void 0 || isBefore2(fact, visit.start);
  return {
    start: isFirst ? mark(0) : visit.start,
    isLanding: isFirst ? fact.isArrival : visit.isLanding,
    visitor: isFirst ? fact.visitor : visit.visitor,
    isMixed: visit !== void 0 && (visit.isMixed || visit.visitor !== fact.visitor),
    last: Math.max(visit?.last ?? time, time),
    events: (visit?.events ?? 0) + 1,
    views: (visit?.views ?? 0) + Number(isView),
    steps: (visit?.steps ?? 0) + Number(kind === STEP),
    engaged: (visit?.engaged ?? 0) + fact.engaged,
    entry: isView && (visit?.entry === void 0 || isBefore2(fact, visit.entry)) ? mark(path) : visit?.entry,
    exit: isView && (visit?.exit === void 0 || !isBefore2(fact, visit.exit)) ? mark(path) : visit?.exit,
    tag: fact.isTagged && (visit?.tag === void 0 || isBefore2(fact, visit.tag)) ? mark(source) : visit?.tag,
    referral: fact.isReferred && (visit?.referral === void 0 || isBefore2(fact, visit.referral)) ? mark(source) : visit?.referral
  };
}
function isBefore2(one, other) {
  return one.time < other.time || one.time === other.time && one.tie < other.tie;
}

var VISIT_COLUMNS = [
  ...["start", "start_tie", "is_landing", "visitor", "is_mixed", "last", "events", "views", "steps", "engaged"],
  ...["entry", "entry_time", "entry_tie", "exit", "exit_time", "exit_tie"],
  ...["tag", "tag_time", "tag_tie", "referral", "referral_time", "referral_tie"]
];
var UPDATE_VISIT = \`UPDATE visits SET \${VISIT_COLUMNS.map((name) => \`\${name} = ?\`).join(", ")} WHERE id = ?\`;
function readVisit(row) {
  return {
    start: { time: Number(row.start), tie: String(row.start_tie), value: 0 },
    isLanding: Number(row.is_landing) === 1,
    visitor: row.visitor === null ? null : Number(row.visitor),
    isMixed: Number(row.is_mixed) === 1,
    last: Number(row.last),
    events: Number(row.events),
    views: Number(row.views),
    steps: Number(row.steps),
    engaged: Number(row.engaged),
    entry: readMark(row, "entry"),
    exit: readMark(row, "exit"),
    tag: readMark(row, "tag"),
    referral: readMark(row, "referral")
  };
}
function readMark(row, name) {
  if (row[name] === null) return void 0;
  return { value: Number(row[name]), time: Number(row[\`\${name}_time\`]), tie: String(row[\`\${name}_tie\`]) };
}
function toRow(visit) {
  const { start, isLanding, visitor, isMixed, last, events, views, steps, engaged, entry, exit, tag, referral } = visit;
  return [
    ...[start.time, start.tie, Number(isLanding), visitor, Number(isMixed), last, events, views, steps, engaged],
    ...[entry, exit, tag, referral].flatMap((mark) => [mark?.value ?? null, mark?.time ?? null, mark?.tie ?? null])
  ];
}

var STALE_VISITS = 200;
var LONG_VISIT_EVENTS = 2e3;
var FACTS_OF_VISIT = \`
  SELECT time, tie, kind, is_arrival, path, facts.source AS source, screen, engaged, visitor,
    coalesce(fact_sources.source <> '', 0) AS is_tagged, coalesce(fact_sources.referrer <> '', 0) AS is_referred
  FROM facts LEFT JOIN fact_sources ON fact_sources.id = facts.source WHERE visit = ?
\`;
function prepareRecount(database) {
  const prepare = (sql) => database.prepare(sql);
  const statements = {
    dropScopes: prepare("DELETE FROM fact_scopes WHERE events <= 0"),
    stale: prepare("SELECT visit, visits.events AS events FROM visits_stale LEFT JOIN visits ON visits.id = visit"),
    visitState: prepare(
      "SELECT (SELECT losses FROM visits_stale WHERE visit = ?) AS losses, (SELECT events FROM visits WHERE id = ?) AS events"
    ),
    dropStale: prepare("DELETE FROM visits_stale WHERE visit = ?"),
    factsOfVisit: prepare(FACTS_OF_VISIT),
    updateVisit: prepare(UPDATE_VISIT),
    dropVisit: prepare("DELETE FROM visits WHERE id = ?")
  };
  function recountLong(visit) {
    const readState = () => JSON.stringify(statements.visitState.get(visit, visit));
    const { before, counted } = inSnapshot(database, () => ({ before: readState(), counted: countVisit(visit) }));
    return inTransaction(database, () => {
      if (readState() !== before) return false;
      putCounted(visit, counted);
      return true;
    });
  }
  function countVisit(visit) {
    let counted;
    for (const row of statements.factsOfVisit.all(visit)) counted = addToVisit(counted, readFact(row));
    return counted;
  }
  function putCounted(visit, counted) {
    if (counted === void 0) statements.dropVisit.run(visit);
    else statements.updateVisit.run(...toRow(counted), visit);
    statements.dropStale.run(visit);
  }
  return () => {
    const stale = statements.stale.all();
    if (stale.length === 0) return true;
    const isLong = ({ events }) => Number(events) > LONG_VISIT_EVENTS;
    const short = stale.filter((row) => !isLong(row)).map(({ visit }) => Number(visit));
    for (let index = 0; index < short.length; index += STALE_VISITS) {
      inTransaction(database, () => {
        for (const visit of short.slice(index, index + STALE_VISITS)) putCounted(visit, countVisit(visit));
      });
    }
    inTransaction(database, () => statements.dropScopes.run());
    return stale.filter(isLong).map(({ visit }) => recountLong(Number(visit))).every(Boolean);
  };
}
function readFact(row) {
  return {
    time: Number(row.time),
    tie: String(row.tie),
    kind: Number(row.kind),
    isArrival: Number(row.is_arrival) === 1,
    path: Number(row.path),
    source: Number(row.source),
    isTagged: Number(row.is_tagged) === 1,
    isReferred: Number(row.is_referred) === 1,
    engaged: Number(row.engaged),
    visitor: row.visitor === null ? null : Number(row.visitor)
  };
}

var MAX_SCALARS = 50;
var MAX_SCALAR_UNITS = 200;
function readScalars(properties = {}) {
  const scalars = /* @__PURE__ */ new Map();
  for (const [name, value] of Object.entries(properties).slice(0, MAX_SCALARS)) {
    const key = cut2(name);
    if (isScalar(value) && !scalars.has(key)) scalars.set(key, typeof value === "string" ? cut2(value) : value);
  }
  return scalars;
}
function isScalar(value) {
  return typeof value === "number" ? Number.isFinite(value) : value === null || /^(string|boolean)$/.test(typeof value);
}
function cut2(text) {
  return cleanLabel(text.slice(0, MAX_SCALAR_UNITS));
}

import { createHash as createHash2 } from "node:crypto";
function hashId(text) {
  const bytes = createHash2("sha256").update(text).digest();
  return bytes.readUInt32BE(0) * 2 ** 21 + (bytes.readUInt32BE(4) >>> 11);
}

var FOLLOW_MS = 15;
var FOLLOW_EVENTS = 1e3;
var REMEMBERED_UNITS = 8 * 1024 * 1024;
var NOT_TAKEN = \`
  SELECT seq, api_key, event FROM events WHERE seq > ? ORDER BY seq LIMIT ?
\`;
var ADD_FACT = \`
  INSERT INTO facts (scope, time, seq, tie, kind, is_arrival, name, path, source, screen, engaged, visit, visitor, user,
    violation)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
\`;
var ADD_VISIT = \`
  INSERT INTO visits (scope, session, \${VISIT_COLUMNS.join(", ")})
  VALUES (?, ?, \${VISIT_COLUMNS.map(() => "?").join(", ")})
\`;
function prepareTake(database) {
  const prepare = (sql) => database.prepare(sql);
  const statements = {
    notTaken: prepare(NOT_TAKEN),
    mark: prepare("SELECT seq FROM facts_mark"),
    setMark: prepare("UPDATE facts_mark SET seq = ?"),
    findScope: prepare("SELECT id FROM fact_scopes WHERE api_key = ? AND site = ? AND flag = ?"),
    addScope: prepare("INSERT INTO fact_scopes (api_key, site, flag, events) VALUES (?, ?, ?, 0)"),
    countScope: prepare("UPDATE fact_scopes SET events = events + ? WHERE id = ?"),
    findText: prepare("SELECT id FROM fact_texts WHERE text = ?"),
    addText: prepare("INSERT INTO fact_texts (text) VALUES (?)"),
    findSource: prepare(
      \`SELECT id FROM fact_sources WHERE referrer = ? AND source = ? AND medium = ? AND campaign = ? AND term = ?
        AND content = ?\`
    ),
    addSource: prepare(
      "INSERT INTO fact_sources (referrer, source, medium, campaign, term, content) VALUES (?, ?, ?, ?, ?, ?)"
    ),
    addFact: prepare(ADD_FACT),
    addProperty: prepare("INSERT INTO fact_properties (seq, key, kind, value) VALUES (?, ?, ?, ?)"),
    findVisit: prepare("SELECT * FROM visits WHERE scope = ? AND session = ?"),
    addVisit: prepare(ADD_VISIT),
    updateVisit: prepare(UPDATE_VISIT)
  };
  const hashes = /* @__PURE__ */ new Map();
  let read = createVisitReader();
  let units = 0;
  function forgetSometimes() {
    if (units < REMEMBERED_UNITS) return;
    hashes.clear();
    read = createVisitReader();
    units = 0;
  }
  function createIds() {
    const scopes = /* @__PURE__ */ new Map();
    const texts = /* @__PURE__ */ new Map();
    const sources = /* @__PURE__ */ new Map();
    return {
      hash: (text) => remember(hashes, text, () => hashId(text)),
      text: (text) => remember(texts, text, () => findOrAdd(statements.findText.get(text), () => statements.addText.run(text))),
      scope: (...of) => remember(
        scopes,
        of.join("\\n"),
        () => findOrAdd(statements.findScope.get(...of), () => statements.addScope.run(...of))
      ),
      source: ({ referrer, source, medium, campaign, term, content }) => {
        const values = [referrer, source, medium, campaign, term, content];
        const key = values.join("\\n");
        if (key === "\\n\\n\\n\\n\\n") return 0;
        return remember(
          sources,
          key,
          () => findOrAdd(statements.findSource.get(...values), () => statements.addSource.run(...values))
        );
      }
    };
  }
  function openVisit(visits, scope, session) {
    const key = \`\${scope} \${session}\`;
    const known = visits.get(key);
    if (known !== void 0) return known;
    const row = statements.findVisit.get(scope, session);
    const visit = {
      session,
      ...row !== void 0 && { id: Number(row.id), visit: readVisit(row) }
    };
    visits.set(key, visit);
    return visit;
  }
  function addVisit(scope, session, visit) {
    return Number(statements.addVisit.run(scope, session, ...toRow(visit)).lastInsertRowid);
  }
  function addProperties(seq, event, findText) {
    for (const [key, value] of readScalars(event.properties)) {
      const id = findText(key);
      if (typeof value === "string") statements.addProperty.run(seq, id, VALUE_KINDS.text, findText(value));
      else if (typeof value === "number") statements.addProperty.run(seq, id, VALUE_KINDS.number, value);
      else if (value === null) statements.addProperty.run(seq, id, VALUE_KINDS.null, 0);
      else statements.addProperty.run(seq, id, VALUE_KINDS.boolean, Number(value));
    }
  }
  return () => {
    const findId = createIds();
    forgetSometimes();
    const visits = /* @__PURE__ */ new Map();
    const counts = /* @__PURE__ */ new Map();
    const endMs = performance.now() + FOLLOW_MS;
    const mark = Number(statements.mark.get()?.seq);
    const notTaken = readPieces(mark, (after, most) => statements.notTaken.all(after, most));
    let last;
    let taken = 0;
    for (const { seq, api_key, event: text } of notTaken) {
      if (taken === FOLLOW_EVENTS || taken > 0 && performance.now() >= endMs) break;
      taken += 1;
      const event = JSON.parse(String(text));
      last = Number(seq);
      units += String(text).length;
      const { site, from, session, ...facts } = read(event);
      const scope = findId.scope(String(api_key), site, facts.flag);
      const path = findId.text(facts.path);
      const fact = {
        time: facts.time,
        tie: facts.tie,
        kind: VISIT_KINDS.indexOf(facts.kind),
        isArrival: facts.isArrival,
        path,
        source: findId.source(from),
        isTagged: isTagged(from),
        isReferred: from.referrer !== "",
        engaged: facts.engagedMs,
        visitor: facts.visitor === "" ? null : findId.hash(facts.visitor)
      };
      const visit = session === "" ? void 0 : openVisit(visits, scope, findId.hash(session));
      if (visit !== void 0) {
        visit.id ??= addVisit(scope, visit.session, addToVisit(void 0, fact));
        visit.visit = addToVisit(visit.visit, fact);
      }
      counts.set(scope, (counts.get(scope) ?? 0) + 1);
      statements.addFact.run(
        scope,
        fact.time,
        last,
        fact.tie,
        fact.kind,
        Number(fact.isArrival),
        findId.text(facts.name),
        path,
        fact.source,
        facts.screen,
        fact.engaged,
        visit?.id ?? null,
        fact.visitor,
        facts.user === "" ? null : findId.hash(facts.user),
        event.violation === void 0 ? null : findId.text(cleanLabel(\`\${event.violation} \${event.name}\`))
      );
      if (facts.kind === "aggregate" || facts.kind === "pageview") continue;
      addProperties(last, event, findId.text);
    }
    for (const { id, visit } of visits.values()) {
      if (id !== void 0 && visit !== void 0) statements.updateVisit.run(...toRow(visit), id);
    }
    for (const [scope, count] of counts) statements.countScope.run(count, scope);
    if (last !== void 0) statements.setMark.run(last);
  };
}
function remember(known, key, find) {
  const id = known.get(key) ?? find();
  known.set(key, id);
  return id;
}
function findOrAdd(row, add) {
  return row === void 0 ? Number(add().lastInsertRowid) : Number(row.id);
}

var PROGRESS = "SELECT (SELECT seq FROM facts_mark) AS taken, (SELECT coalesce(max(seq), 0) FROM events) AS last";
function openFacts(database) {
  const [take, recount] = [prepareTake(database), prepareRecount(database)];
  const selectProgress = database.prepare(PROGRESS);
  function readProgress() {
    const row = selectProgress.get();
    return { taken: Number(row?.taken), last: Number(row?.last) };
  }
  return {
    follow: () => {
      const { taken, last } = readProgress();
      if (taken >= last) return false;
      inTransaction(database, take);
      const next = readProgress();
      return next.taken < next.last;
    },
    recount,
    progress: readProgress,
    forgetTexts: () => {
      while (!recount()) ;
      forgetTexts(database);
    }
  };
}

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
  CREATE INDEX events_by_arrival ON events (received_at);
  CREATE TABLE pageviews (
    api_key TEXT NOT NULL,
    month TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (api_key, month)
  ) STRICT, WITHOUT ROWID;
\`;
var INSERT = "INSERT INTO events (api_key, id, event) VALUES (?, ?, ?) ON CONFLICT (api_key, id) DO NOTHING";
var ADD_PAGEVIEWS = \`
  INSERT INTO pageviews (api_key, month, count) VALUES (?, ?, ?)
  ON CONFLICT (api_key, month) DO UPDATE SET count = count + excluded.count RETURNING count
\`;
var COUNT_PAGEVIEWS = "SELECT count FROM pageviews WHERE api_key = ? AND month = ?";
var SELECT_ALL = "SELECT event FROM events ORDER BY seq";
function openStore({ DatabaseSync }, path, busyTimeoutMs = BUSY_TIMEOUT_MS) {
  let database;
  try {
    database = new DatabaseSync(path);
    database.exec(\`PRAGMA busy_timeout = \${busyTimeoutMs}\`);
    database.exec("PRAGMA secure_delete = ON");
    prepareLayout(database);
    const insert = database.prepare(INSERT);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    database.exec(\`PRAGMA cache_size = -\${CACHE_KIB}; PRAGMA wal_autocheckpoint = \${CHECKPOINT_PAGES};\`);
    database.exec(\`PRAGMA journal_size_limit = \${LOG_BYTES}\`);
    checkWritable(database);
    return {
      database,
      insert,
      addPageviews: database.prepare(ADD_PAGEVIEWS),
      countPageviews: database.prepare(COUNT_PAGEVIEWS),
      selectAll: database.prepare(SELECT_ALL),
      facts: openFacts(database),
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
  if (version === SCHEMA_VERSION) return;
  inTransaction(database, () => {
    if (readVersion(database) === SCHEMA_VERSION) return;
    if (hasAnything(database)) throw new Error("it holds something else");
    database.exec(SCHEMA2 + FACTS_SCHEMA);
    database.exec(\`PRAGMA user_version = \${SCHEMA_VERSION}\`);
  });
}
function checkWritable(database) {
  runLocked(database, "BEGIN IMMEDIATE");
  database.exec(\`PRAGMA user_version = \${SCHEMA_VERSION}; ROLLBACK;\`);
}
function hasAnything(database) {
  const sql = "SELECT 1 FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*'";
  return database.prepare(sql).get() !== void 0;
}

var BUSY_TIMEOUT_MS2 = 1e4;
function createDataCalls() {
  let opened;
  function find() {
    if (opened === void 0) throw new Error("the database is closed");
    return opened;
  }
  function findAll2(id) {
    const { blocks, predicates } = find();
    return { blocks, isSelected: predicates.get(id) ?? (() => false) };
  }
  function findShown(id) {
    const { blocks, isSelected } = findAll2(id);
    const isErased2 = find().store.erasures.read();
    return { blocks, isSelected: (event) => isSelected(event) && !isErased2(event) };
  }
  return {
    dataOpen: (path) => {
      if (!isFile(path) || statSync3(path, { throwIfNoEntry: false }) === void 0) {
        throw new Error(\`there is no SQLite database \${JSON.stringify(path)}\`);
      }
      const store = openStore(loadSqlite(), path, BUSY_TIMEOUT_MS2);
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
      const { blocks, isSelected } = isForDeletion ? findAll2(id) : findShown(id);
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
      const { blocks, isSelected } = findAll2(id);
      return blocks.remove(after, isSelected);
    },
    dataCountOld: (before) => find().blocks.countOld(before),
    dataRemoveOld: (before) => {
      const { blocks, store } = find();
      const removed = blocks.removeOld(before);
      if (removed === 0) store.facts.forgetTexts();
      return removed;
    },
    dataIsBeforeNewest: (time) => find().blocks.isBeforeNewest(time),
    dataKeep: (erasures) => find().store.erasures.keep(erasures),
    dataPending: () => find().store.erasures.listPending(),
    dataFinish: (erasures) => {
      const { store } = find();
      store.facts.forgetTexts();
      store.erasures.finish(erasures);
    },
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
    runLocked(database, "VACUUM");
    return true;
  } catch (error) {
    if (isLocked(error)) return false;
    throw error;
  }
}

var TRAFFIC_FLAGS = { people: "", bots: "bot", own: "own" };
var EVENT_FILTERS = ["page", "screen", "signedIn"];
function keepsAggregates(filters) {
  return filters.every(({ name }) => name === "page");
}
var SOURCE_DIMENSIONS = [
  "channel",
  "source",
  "referrer",
  "medium",
  "campaign",
  "term",
  "content"
];
var SOURCE_GROUPINGS = [...SOURCE_DIMENSIONS, "landing"];
var SCREEN_CLASSES = ["phone", "tablet", "laptop", "desktop"];
var MAX_SITES = 1e3;
var MAX_PROPERTY_KEYS = 50;
var FARTHEST_MS = 9e15;
function parseViolation(label) {
  const end = label.indexOf(" ");
  return { name: label.slice(end + 1), kind: label.slice(0, end) };
}

function buildOfVisitors({ scope }) {
  return \`f.scope = \${scope} AND f.visitor IS NOT NULL\`;
}
function createFirsts(chosen, [from, to]) {
  const { database, scope, ofFilters } = chosen;
  const ofVisitors = buildOfVisitors(chosen);
  const findSeen = (start, end) => \`
    SELECT v.visitor AS visitor, v.start AS time, v.start_tie AS tie, v.is_landing AS is_landing
    FROM visits AS v INDEXED BY visits_by_start
    WHERE v.scope = \${scope} AND v.start >= \${start} AND v.start < \${end} AND v.is_mixed = 0 AND v.visitor IS NOT NULL
    UNION ALL
    SELECT f.visitor, f.time, f.tie, f.is_arrival
    FROM visits AS v INDEXED BY visits_by_start CROSS JOIN facts AS f ON f.visit = v.id
    WHERE v.scope = \${scope} AND v.start < \${end} AND v.is_mixed = 1
      AND \${ofVisitors} AND f.time >= \${start} AND f.time < \${end}
    UNION ALL
    SELECT f.visitor, f.time, f.tie, f.is_arrival FROM facts AS f INDEXED BY facts_alone
    WHERE \${ofVisitors} AND f.visit IS NULL AND f.time >= \${start} AND f.time < \${end}
  \`;
  database.exec(\`
    CREATE TEMP TABLE firsts (visitor INTEGER PRIMARY KEY, time INTEGER NOT NULL, is_landing INTEGER NOT NULL) STRICT;
    INSERT OR IGNORE INTO firsts
      SELECT visitor, time, is_landing FROM (\${findSeen(from, to)}) ORDER BY visitor, time, tie;
    DELETE FROM firsts WHERE visitor IN (
      SELECT firsts.visitor FROM (\${findSeen(-FARTHEST_MS, from)}) AS seen CROSS JOIN firsts USING (visitor)
    )
  \`);
  if (ofFilters.length === 0) return;
  database.exec(\`
    DELETE FROM firsts WHERE visitor NOT IN (
      SELECT visitor FROM (
        SELECT f.visitor AS visitor, min(f.tie), \${ofFilters.join(" AND ")} AS is_chosen
        FROM firsts JOIN facts AS f ON \${ofVisitors} AND f.time = firsts.time AND f.visitor = firsts.visitor
        GROUP BY f.visitor
      ) WHERE is_chosen
    )
  \`);
}

function countAcceptance(chosen, bounds) {
  const { database, query: { from, to }, facts } = chosen;
  createFirsts(chosen, [from, to]);
  database.exec("CREATE INDEX temp.firsts_by_time ON firsts (time, is_landing)");
  const newcomers = database.prepare(
    "SELECT count(*) AS visitors, total(is_landing) AS landings FROM firsts WHERE time >= ? AND time < ?"
  );
  const arrivals = database.prepare(
    \`SELECT count(*) AS count FROM facts AS f WHERE \${facts} AND f.kind = 0 AND f.is_arrival = 1\`
  );
  return bounds.slice(1).map((end, index) => {
    const span = [bounds[index] ?? end, end];
    const { visitors, landings } = newcomers.get(...span) ?? {};
    return {
      newlyConsented: Number(visitors),
      arrivalsBeforeChoice: Number(landings) + Number(arrivals.get(...span)?.count)
    };
  });
}

function createSelect(database) {
  const select = (sql, ...values) => database.prepare(sql).all(...values);
  return Object.assign(select, { one: (sql, ...values) => select(sql, ...values)[0] ?? {} });
}
var VIEWS = "sum(f.kind = 1) AS full_views, sum(f.kind = 0) AS aggregate_views";
var IS_STEP = "f.kind >= 2";
function readViews(row) {
  return { full: Number(row.full_views ?? 0), aggregate: Number(row.aggregate_views ?? 0) };
}
function findRank(count, share) {
  return Math.max(Math.ceil(count * share), 1) - 1;
}
function findTexts(texts) {
  return \`(SELECT id FROM fact_texts WHERE text IN (\${texts.map(quote).join(", ")}))\`;
}
function quote(text) {
  return \`'\${text.replaceAll("\\0", "\\uFFFD").replaceAll("'", "''")}'\`;
}

function countFlagged(database, { apiKey, site, from, to }) {
  const rows = database.prepare(\`
    SELECT s.flag AS flag, \${VIEWS} FROM fact_scopes AS s JOIN facts AS f ON f.scope = s.id
    WHERE s.api_key = ? AND s.site = ? AND s.flag <> '' AND f.time >= ? AND f.time < ? GROUP BY s.flag
  \`).all(apiKey, site, from, to);
  const count = (traffic) => readViews(rows.find(({ flag }) => flag === TRAFFIC_FLAGS[traffic]) ?? {});
  return { bots: count("bots"), own: count("own") };
}

function createPathWriter(rules) {
  const patterns = rules.patterns.map((pattern) => ({ pattern, expression: toPathExpression(pattern, rules) }));
  return (path) => {
    const whole = dropSlash(rules.ignoresCase ? lowerCase(path) : path, rules);
    return patterns.find(({ expression }) => expression.test(whole))?.pattern ?? whole;
  };
}
function toPathExpression(pattern, rules) {
  return toExpression(dropSlash(encodePath(pattern), rules), rules);
}
function encodePath(path) {
  return path.startsWith("/") ? createLocator()(\`https://site.example\${path}\`).path : path;
}
function dropSlash(path, { dropsTrailingSlash }) {
  return dropsTrailingSlash && path !== "/" ? path.replace(/\\/$/, "") : path;
}
function lowerCase(path) {
  return path.replace(/%[\\dA-F]{2}|[^%]+/gi, (part) => part.startsWith("%") ? part : part.toLowerCase());
}
function toExpression(pattern, { ignoresCase }) {
  const source = pattern.split("/").map((segment, index, all) => {
    if (segment.startsWith(":") && segment.length > 1) return "[^/]+";
    if (segment === "*" && index === all.length - 1) return ".*";
    return segment.replace(/[\\\\^$.*+?()[\\]{}|]/g, "\\\\$&");
  }).join("\\\\/");
  return new RegExp(\`^\${source}$\`, ignoresCase ? "iu" : "u");
}

function createLabels(database, table, labels) {
  database.exec(\`CREATE TEMP TABLE \${table} (id INTEGER PRIMARY KEY, label TEXT NOT NULL) STRICT\`);
  addLabels(database, table, labels);
}
function addLabels(database, table, labels) {
  const insert = database.prepare(\`INSERT INTO \${table} (id, label) VALUES (?, ?)\`);
  for (const { id, label } of labels) insert.run(id, label);
}

var SOURCE_OF_VISIT = "coalesce(v.tag, v.referral, 0)";
var IS_SOMEWHERE = "(s.referrer <> '' OR s.source <> '' OR s.medium <> '' OR s.campaign <> '')";
var ALL = "true";
var NOWHERE2 = { referrer: "", source: "", medium: "", campaign: "", term: "", content: "" };
var FIRST_COUNTS = "first_counts";
function createSourceLabels({ database, query, scope, select, paths }) {
  const { from, to, ownOrigins } = query;
  const labelled = /* @__PURE__ */ new Set();
  function label(source) {
    return labelSource(source, "channel", ownOrigins);
  }
  function labelChannels(table, near, [start, end]) {
    const told = near === ALL ? [] : select(
      \`SELECT s.referrer AS referrer, s.source AS source, s.medium AS medium, max(s.campaign) AS campaign, '' AS term,
        '' AS content
      FROM facts AS f JOIN fact_sources AS s ON s.id = f.source
      WHERE f.scope = \${scope} AND f.time >= ? AND f.time < ? AND \${IS_SOMEWHERE}
      GROUP BY s.referrer, s.source, s.medium, s.campaign <> ''
      ORDER BY count(*) DESC, s.referrer, s.source, s.medium, s.campaign <> '' LIMIT \${MAX_TOLD_SOURCES + 1}\`,
      start,
      end
    );
    if (told.length <= MAX_TOLD_SOURCES) {
      const rows = select(\`SELECT * FROM fact_sources AS s WHERE \${near}\`);
      addLabels(database, table, rows.map((row) => ({ id: Number(row.id), label: label(readSource2(row)) })));
      return;
    }
    const toldTable = \`\${table}_told\`;
    database.exec(\`
      CREATE TEMP TABLE \${toldTable} (
        referrer TEXT, source TEXT, medium TEXT, has_campaign INTEGER, label TEXT,
        PRIMARY KEY (referrer, source, medium, has_campaign)
      ) STRICT
    \`);
    const insert = database.prepare(\`INSERT INTO \${toldTable} VALUES (?, ?, ?, ?, ?)\`);
    for (const row of told.slice(0, MAX_TOLD_SOURCES)) {
      const source = readSource2(row);
      const { referrer, medium, campaign } = source;
      insert.run(referrer, source.source, medium, Number(campaign !== ""), label(source));
    }
    database.exec(\`
      INSERT INTO \${table} (id, label)
      SELECT s.id, iif(\${IS_SOMEWHERE}, coalesce(t.label, \${quote(UNTOLD_CHANNEL)}), \${quote(label(NOWHERE2))})
      FROM fact_sources AS s LEFT JOIN \${toldTable} AS t ON t.referrer = s.referrer AND t.source = s.source
        AND t.medium = s.medium AND t.has_campaign = (s.campaign <> '')
      WHERE \${near}
    \`);
  }
  return (by, of = "session") => {
    if (by === "landing" && !paths.hasRules) return "(SELECT id, text AS label FROM fact_texts)";
    const isOfFirst = of === "first";
    const table = \`\${of}_\${by}_labels\`;
    if (labelled.has(table)) return table;
    labelled.add(table);
    const ofFirst = \`id IN (SELECT id FROM \${FIRST_COUNTS})\`;
    if (by === "landing") {
      const written = isOfFirst ? paths.readSome(ofFirst) : paths.read();
      createLabels(database, table, written.map(({ id, path }) => ({ id, label: path })));
      return table;
    }
    const { count } = select.one("SELECT count(*) AS count FROM fact_sources");
    const ofSpan = \`s.id IN (
      SELECT source FROM facts
      WHERE scope = \${scope} AND time >= \${from - LONG_SESSION_MS} AND time < \${to + LONG_SESSION_MS}
    )\`;
    const near = Number(count) <= MAX_TOLD_SOURCES ? ALL : isOfFirst ? \`s.\${ofFirst}\` : ofSpan;
    createLabels(database, table, [{ id: 0, label: labelSource(NOWHERE2, by, ownOrigins) }]);
    if (by === "channel") {
      labelChannels(table, near, isOfFirst ? [-FARTHEST_MS, FARTHEST_MS] : [from, to]);
      return table;
    }
    const referrer = \`CASE WHEN referrer IN (\${ownOrigins.map(quote).join(", ")}) THEN '' ELSE referrer END\`;
    const text = by === "referrer" ? referrer : by === "source" ? \`coalesce(nullif(source, ''), \${referrer})\` : by;
    database.exec(\`INSERT INTO \${table} (id, label) SELECT id, \${text} FROM fact_sources AS s WHERE \${near}\`);
    return table;
  };
}
function readSource2(row) {
  return row;
}

function createConditions({ query, paths, labels }) {
  return {
    buildEventCondition({ name, values }) {
      if (name === "page") return \`f.path IN \${paths.find(values)}\`;
      if (name === "screen") {
        const classes = SCREEN_CLASSES;
        return \`f.screen IN (\${values.map((value) => classes.indexOf(value) + 1).filter((id) => id > 0).join(", ")})\`;
      }
      const answers = [
        ...values.includes("yes") ? ["f.user IS NOT NULL"] : [],
        ...values.includes("no") ? ["(f.user IS NULL AND f.kind <> 0)"] : []
      ];
      return \`(\${answers.join(" OR ") || "false"})\`;
    },
    buildVisitCondition({ name, values, key = "", step, events = [] }) {
      if (name === "entry") return \`v.is_landing = 1 AND v.entry IN \${paths.find(values)}\`;
      if (name === "exit") return \`v.exit IN \${paths.find(values)}\`;
      if (isDimension(name)) {
        const ofLabels = \`SELECT id FROM \${labels(name)} WHERE label IN (\${values.map(quote).join(", ")})\`;
        return \`\${SOURCE_OF_VISIT} IN (\${ofLabels})\`;
      }
      if (name === "step") {
        return \`EXISTS (
          SELECT 1 FROM facts AS f WHERE f.visit = v.id AND \${IS_STEP} AND f.name IN \${findTexts(values)}
        )\`;
      }
      if (name === "goal") {
        const isReached = events.map((event) => buildPoint(event, { query, paths })).join(" OR ") || "false";
        return \`EXISTS (SELECT 1 FROM facts AS f WHERE f.visit = v.id AND (\${isReached}))\`;
      }
      return \`EXISTS (
        SELECT 1 FROM facts AS f JOIN fact_properties AS p ON p.seq = f.seq
        WHERE f.visit = v.id AND \${IS_STEP} \${step === void 0 ? "" : \`AND f.name IN \${findTexts([step])}\`}
          AND p.key IN \${findTexts([key])} AND (\${values.map(buildValueCondition).join(" OR ") || "false"})
      )\`;
    }
  };
}
function buildPoint(event, { query, paths }) {
  if ("page" in event) return \`(f.kind = 1 AND f.path IN \${paths.find([event.page])})\`;
  if ("pages" in event) {
    const expression = toPathExpression(event.pages, query.pathRules);
    return \`(f.kind = 1 AND f.path IN \${paths.findBy((path) => expression.test(path))})\`;
  }
  const isNamed = \`\${IS_STEP} AND f.name IN \${findTexts([event.step])}\`;
  if (event.property === void 0) return \`(\${isNamed})\`;
  return \`(\${isNamed} AND EXISTS (
    SELECT 1 FROM fact_properties AS p WHERE p.seq = f.seq AND p.key IN \${findTexts([event.property.key])}
      AND \${buildValueCondition(event.property.value)}
  ))\`;
}
function buildValueCondition(json) {
  const value = parseScalar(json);
  if (value === void 0) return "false";
  if (typeof value === "string") return \`(p.kind = \${VALUE_KINDS.text} AND p.value IN \${findTexts([value])})\`;
  if (typeof value === "number") return \`(p.kind = \${VALUE_KINDS.number} AND p.value = \${JSON.stringify(value)})\`;
  if (value === null) return \`p.kind = \${VALUE_KINDS.null}\`;
  return \`(p.kind = \${VALUE_KINDS.boolean} AND p.value = \${Number(value)})\`;
}
function parseScalar(json) {
  try {
    const value = JSON.parse(json);
    return value === null || ["string", "number", "boolean"].includes(typeof value) ? value : void 0;
  } catch {
    return void 0;
  }
}
function isDimension(name) {
  return SOURCE_DIMENSIONS.includes(name);
}

var MAX_FEW_TEXTS = 1e4;
function createPaths({ database, query, scope, select }) {
  const { from, to, pathRules } = query;
  const hasRules = pathRules.patterns.length > 0 || pathRules.dropsTrailingSlash || pathRules.ignoresCase;
  const writePath = createPathWriter(pathRules);
  let known;
  let tables = 0;
  function readSome(condition) {
    const rows = select(\`SELECT id, text FROM fact_texts WHERE \${condition}\`);
    return rows.map(({ id, text }) => ({ id: Number(id), path: writePath(String(text)) }));
  }
  function areTextsFew() {
    const { count } = select.one(\`SELECT count(*) AS count FROM (SELECT 1 FROM fact_texts LIMIT \${MAX_FEW_TEXTS} + 1)\`);
    return Number(count) <= MAX_FEW_TEXTS;
  }
  function read() {
    return known ??= readSome(
      areTextsFew() ? "true" : \`id IN (
      SELECT DISTINCT path FROM facts
      WHERE scope = \${scope} AND time >= \${from - LONG_SESSION_MS} AND time < \${to + LONG_SESSION_MS}
    )\`
    );
  }
  function findBy(isWanted) {
    const ids = read().filter(({ path }) => isWanted(path)).map(({ id }) => id);
    const table = \`path_ids_\${tables++}\`;
    database.exec(\`CREATE TEMP TABLE \${table} (id INTEGER PRIMARY KEY) STRICT\`);
    const insert = database.prepare(\`INSERT INTO \${table} (id) VALUES (?)\`);
    for (const id of ids) insert.run(id);
    return table;
  }
  return {
    hasRules,
    find: (paths) => {
      if (!hasRules) return findTexts(paths);
      const wanted = new Set(paths);
      return findBy((path) => wanted.has(path));
    },
    findBy,
    read,
    readSome
  };
}

function openChosen(database, query) {
  const { from, to, filters } = query;
  const select = createSelect(database);
  const scope = Number(
    select.one(
      "SELECT id FROM fact_scopes WHERE api_key = ? AND site = ? AND flag = ?",
      ...[query.apiKey, query.site, TRAFFIC_FLAGS[query.traffic]]
    ).id ?? 0
  );
  database.exec("PRAGMA temp_store = MEMORY");
  const paths = createPaths({ database, query, scope, select });
  const labels = createSourceLabels({ database, query, scope, select, paths });
  const { buildEventCondition, buildVisitCondition } = createConditions({ query, paths, labels });
  const isEventChosen = filters.filter(({ name }) => EVENT_FILTERS.includes(name)).map(buildEventCondition);
  const isVisitChosen = filters.filter(({ name }) => !EVENT_FILTERS.includes(name)).map(buildVisitCondition);
  function findLongVisits(start) {
    return \`SELECT v.id FROM visits AS v INDEXED BY visits_long
      WHERE v.scope = \${scope} AND v.last - v.start > \${LONG_SESSION_MS}
        AND v.start < \${start - LONG_SESSION_MS} AND v.last >= \${start}\`;
  }
  if (isVisitChosen.length > 0) {
    database.exec("CREATE TEMP TABLE chosen_visits (id INTEGER PRIMARY KEY) STRICT");
    database.exec(\`
      INSERT INTO chosen_visits SELECT v.id FROM visits AS v
      WHERE v.scope = \${scope} AND v.start >= \${from - LONG_SESSION_MS} AND v.start < \${to}
        AND \${isVisitChosen.join(" AND ")}
      UNION SELECT v.id FROM visits AS v WHERE v.id IN (\${findLongVisits(from)}) AND \${isVisitChosen.join(" AND ")}
    \`);
  }
  if (filters.length > 0) {
    const hasEvent = \`EXISTS (SELECT 1 FROM facts AS f WHERE f.visit = v.id AND \${isEventChosen.join(" AND ")})\`;
    database.exec(\`
      CREATE TEMP TABLE counted_visits AS SELECT v.* FROM visits AS v
      WHERE v.scope = \${scope} AND v.start >= \${from} AND v.start < \${to}
        \${isVisitChosen.length > 0 ? "AND v.id IN (SELECT id FROM chosen_visits)" : ""}
        \${isEventChosen.length > 0 ? \`AND \${hasEvent}\` : ""};
      CREATE INDEX temp.counted_visits_by_start ON counted_visits (start);
    \`);
  }
  const isOfVisits = isVisitChosen.length > 0 ? ["f.visit IN (SELECT id FROM chosen_visits)"] : [];
  return {
    ...{ database, query, select, scope, paths, labels, findLongVisits },
    facts: [
      \`f.scope = \${scope} AND f.time >= ? AND f.time < ?\`,
      ...isEventChosen,
      ...isOfVisits,
      ...keepsAggregates(filters) ? [] : ["f.kind <> 0"]
    ].join(" AND "),
    ofFilters: [...isEventChosen, ...isOfVisits.map((condition) => \`coalesce(\${condition}, 0)\`)],
    visits: filters.length > 0 ? { table: "counted_visits AS v", condition: "v.start >= ? AND v.start < ?" } : { table: "visits AS v", condition: \`v.scope = \${scope} AND v.start >= ? AND v.start < ?\` }
  };
}

function countEvents(chosen, events, bounds) {
  if (events.length === 0) return [];
  const { database, query: { from, to }, facts } = chosen;
  const points = events.map(({ event }) => buildPoint(event, chosen));
  const statement = database.prepare(
    \`SELECT \${events.map(({ sumOf }, index) => buildCounts(points[index] ?? "false", { sumOf, index })).join(", ")}
    FROM facts AS f WHERE \${facts} AND (\${points.join(" OR ")})\`
  );
  const read = (start, end) => {
    const row = statement.get(start, end) ?? {};
    return events.map((_, index) => ({
      count: Number(row[\`count_\${index}\`]),
      visitors: Number(row[\`visitors_\${index}\`]),
      sum: Number(row[\`sum_\${index}\`])
    }));
  };
  const totals = read(from, to);
  const parts = bounds.slice(1).map((end, index) => read(bounds[index] ?? end, end));
  return totals.map((total, index) => ({ total, parts: parts.flatMap((part) => part[index] ?? []) }));
}
function buildCounts(condition, { sumOf, index }) {
  const isCounted = \`FILTER (WHERE \${condition})\`;
  const value = sumOf !== void 0 ? \`(SELECT n.value FROM fact_properties AS n
        WHERE n.seq = f.seq AND n.kind = \${VALUE_KINDS.number} AND n.key IN \${findTexts([sumOf])})\` : "0";
  return \`count(*) \${isCounted} AS count_\${index}, count(DISTINCT f.visitor) \${isCounted} AS visitors_\${index},
    total(\${value}) \${isCounted} AS sum_\${index}\`;
}

function createFunnelFold(rules) {
  const reached = Array.from({ length: rules.stages }, () => 0);
  const times = Array.from({ length: rules.stages }, () => []);
  let visitor;
  let best = [];
  function count() {
    for (const [stage, time] of best.entries()) {
      reached[stage] = (reached[stage] ?? 0) + 1;
      if (stage > 0) times[stage]?.push(time - (best[stage - 1] ?? time));
    }
  }
  return {
    add: (of, points) => {
      if (of !== visitor) {
        count();
        visitor = of;
        best = [];
      }
      const way = findWay(points, rules);
      if (isBetter(way, best)) best = way;
    },
    finish: () => {
      count();
      [visitor, best] = [void 0, []];
      return reached.map((visitors, stage) => ({ visitors, medianMs: findMedian(times[stage] ?? []) }));
    }
  };
}
function isBetter(way, than) {
  if (way.length !== than.length) return way.length > than.length;
  const differing = way.findIndex((time, stage) => time !== than[stage]);
  return differing >= 0 && (way[differing] ?? 0) < (than[differing] ?? 0);
}
function findWay(points, rules) {
  const start = rules.order === "strict" ? findStrictStart(points, rules) : findStart(points, rules);
  return start < 0 ? [] : walk(points, start, rules);
}
function findStrictStart(points, rules) {
  let [best, depth] = [-1, 0];
  for (let start = 0; start < points.length && depth < rules.stages; start++) {
    if (!passes(points[start]?.stages ?? 0, 0)) continue;
    const { length } = walk(points, start, rules);
    if (length > depth) [best, depth] = [start, length];
  }
  return best;
}
function findStart(points, rules) {
  let ways = [];
  let [depth, endTime] = [0, 0];
  for (let index = 0; index < points.length && depth < rules.stages; index++) {
    const { time, stages: passing } = points[index] ?? { time: 0, stages: 0 };
    if (passing === 0) continue;
    const going = ways.filter(({ startTime }) => time - startTime <= rules.withinMs);
    for (const one of going) one.passed |= findNext(one.passed, passing, rules);
    if (passes(passing, 0)) going.push({ passed: 1, startTime: time });
    ways = going.filter(({ passed }, place) => passed !== going[place + 1]?.passed);
    const longest = countLeading(ways[0]?.passed ?? 0);
    if (longest > depth) [depth, endTime] = [longest, time];
  }
  return points.findIndex(({ time, stages }) => passes(stages, 0) && endTime - time <= rules.withinMs);
}
function walk(points, start, rules) {
  const startTime = points[start]?.time ?? 0;
  const times = [startTime];
  let passed = 1;
  for (let index = start + 1; index < points.length && !passes(passed, rules.stages - 1); index++) {
    const { time, stages } = points[index] ?? { time: Infinity, stages: 0 };
    if (time - startTime > rules.withinMs) break;
    const next = findNext(passed, stages, rules);
    if (next === 0 && rules.order === "strict") break;
    if (next === 0) continue;
    passed |= next;
    times[31 - Math.clz32(next)] = time;
  }
  const way = [];
  for (let stage = 0; stage < countLeading(passed); stage++) {
    way.push(Math.max(times[stage] ?? startTime, way.at(-1) ?? startTime));
  }
  return way;
}
function findNext(passed, passing, { stages, order }) {
  if (order !== "flexible") return passing & passed + 1;
  const last = 1 << stages - 1;
  const left = last - 1 & ~passed;
  const can = left === 0 ? passing & last : passing & left;
  return can & -can;
}
function passes(stages, stage) {
  return (stages & 1 << stage) !== 0;
}
function countLeading(passed) {
  return 31 - Math.clz32(~passed & passed + 1);
}
function findMedian(values) {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length / 2) - 1] ?? null;
}

function countFunnel(chosen, { stages, within, order }) {
  const { database, query: { from, to }, facts } = chosen;
  const isSession = within === "session";
  const fold = createFunnelFold({ stages: stages.length, withinMs: isSession ? Infinity : within, order });
  const mask = stages.map(
    (events, stage) => \`((\${events.map((event) => buildPoint(event, chosen)).join(" OR ")}) << \${stage})\`
  ).join(" | ");
  const points = database.prepare(
    \`SELECT * FROM (
      SELECT f.visitor AS visitor, f.visit AS visit, f.time AS time, f.tie AS tie, f.kind AS kind, \${mask} AS stages
      FROM facts AS f WHERE \${facts} AND f.visitor IS NOT NULL \${isSession ? "AND f.visit IS NOT NULL" : ""}
    ) WHERE stages <> 0 \${order === "strict" ? "OR kind <= 2" : ""}
    ORDER BY visitor, \${isSession ? "visit, " : ""}time, tie\`
  );
  let visitor;
  let visit;
  let way = [];
  const finish2 = () => {
    if (way.length > 0) fold.add(Number(visitor), way);
    way = [];
  };
  for (const row of points.iterate(from, to)) {
    if (row.visitor !== visitor || isSession && row.visit !== visit) finish2();
    [visitor, visit] = [row.visitor, row.visit];
    way.push({ time: Number(row.time), stages: Number(row.stages) });
  }
  finish2();
  return fold.finish();
}

var BOUNCES = \`sum(v.is_landing AND v.views = 1 AND v.steps = 0 AND v.engaged < \${ENGAGED_MS})\`;
function countOverview(chosen, bounds) {
  const { from, to } = chosen.query;
  const parts = bounds.slice(1).map((end, index) => readSpan(chosen, bounds[index] ?? end, end));
  const isCovered = parts.length > 0 && bounds[0] === from && bounds.at(-1) === to;
  const whole = isCovered ? joinSpans(parts) : readSpan(chosen, from, to);
  return { total: { ...countSpan(whole), medianSessionMs: findMedianLength(chosen) }, parts: parts.map(countSpan) };
}
function joinSpans(spans) {
  const sum = (read) => spans.reduce((total, { counts }) => total + read(counts), 0);
  return {
    counts: {
      pageviews: {
        full: sum(({ pageviews }) => pageviews.full),
        aggregate: sum(({ pageviews }) => pageviews.aggregate)
      },
      sessions: sum(({ sessions }) => sessions),
      landings: sum(({ landings }) => landings),
      landingViews: sum(({ landingViews }) => landingViews),
      bounces: sum(({ bounces }) => bounces),
      instantSessions: sum(({ instantSessions }) => instantSessions)
    },
    visitors: spans.flatMap(({ visitors }) => visitors),
    users: spans.flatMap(({ users }) => users)
  };
}
function countSpan({ counts, visitors, users }) {
  return { ...counts, visitors: countDistinct(visitors), users: countDistinct(users) };
}
function countDistinct(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  return sorted.reduce((count, number, index) => number === sorted[index - 1] ? count : count + 1, 0);
}
function readSpan(chosen, start, end) {
  const { query, select, visits } = chosen;
  const isWhole = \`v.last < \${end} AND v.is_mixed = 0\`;
  const row = select.one(
    \`SELECT count(*) AS sessions, sum(v.is_landing) AS landings, \${BOUNCES} AS bounces,
      sum(v.views) FILTER (WHERE v.is_landing) AS landing_views,
      sum(v.last = v.start AND v.events = v.views) AS instant_sessions,
      sum(v.views) FILTER (WHERE \${isWhole}) AS whole_views,
      json_group_array(v.visitor) FILTER (WHERE \${isWhole} AND v.visitor IS NOT NULL) AS visitors
    FROM \${visits.table} WHERE \${visits.condition}\`,
    start,
    end
  );
  const hasFilters = query.filters.length > 0;
  const { pageviews, visitors, users } = hasFilters ? readChosenEvents(chosen, start, end) : readOtherEvents(chosen, start, end);
  return {
    counts: {
      pageviews: hasFilters ? pageviews : { ...pageviews, full: pageviews.full + Number(row.whole_views ?? 0) },
      sessions: Number(row.sessions),
      landings: Number(row.landings ?? 0),
      landingViews: Number(row.landing_views ?? 0),
      bounces: Number(row.bounces ?? 0),
      instantSessions: Number(row.instant_sessions ?? 0)
    },
    visitors: hasFilters ? visitors : [...visitors, ...readNumbers(row.visitors)],
    users
  };
}
function readChosenEvents({ select, facts }, start, end) {
  const row = select.one(
    \`SELECT \${VIEWS}, json_group_array(DISTINCT f.visitor) FILTER (WHERE f.visitor IS NOT NULL) AS visitors,
      json_group_array(DISTINCT f.user) FILTER (WHERE f.user IS NOT NULL) AS users
    FROM facts AS f WHERE \${facts}\`,
    start,
    end
  );
  return { pageviews: readViews(row), visitors: readNumbers(row.visitors), users: readNumbers(row.users) };
}
function readOtherEvents({ scope, select, findLongVisits }, start, end) {
  const isIn = \`f.time >= \${start} AND f.time < \${end}\`;
  const startsIn = (first, last) => \`visits AS v INDEXED BY visits_by_start WHERE v.scope = \${scope} AND v.start >= \${first} AND v.start < \${last}\`;
  const counts = \`\${VIEWS}, json_group_array(DISTINCT f.visitor) FILTER (WHERE f.visitor IS NOT NULL) AS visitors\`;
  const rows = [
    select.one(\`
      SELECT \${counts} FROM (
        SELECT v.id AS id FROM \${startsIn(start - LONG_SESSION_MS, start)} AND v.last >= \${start}
        UNION ALL SELECT v.id FROM \${startsIn(start, end)} AND (v.last >= \${end} OR v.is_mixed = 1)
        UNION ALL \${findLongVisits(start)}
      ) AS others CROSS JOIN facts AS f ON f.visit = others.id WHERE \${isIn}
    \`),
    select.one(\`
      SELECT \${counts} FROM facts AS f INDEXED BY facts_alone WHERE f.scope = \${scope} AND f.visit IS NULL AND \${isIn}
    \`)
  ];
  const { users } = select.one(\`
    SELECT json_group_array(DISTINCT f.user) AS users FROM facts AS f INDEXED BY facts_signed_in
    WHERE f.scope = \${scope} AND f.user IS NOT NULL AND \${isIn}
  \`);
  const views = rows.map(readViews);
  return {
    pageviews: {
      full: views.reduce((total, { full }) => total + full, 0),
      aggregate: views.reduce((total, { aggregate }) => total + aggregate, 0)
    },
    visitors: rows.flatMap(({ visitors }) => readNumbers(visitors)),
    users: readNumbers(users)
  };
}
function readVisitors(chosen, start, end) {
  return readSpan(chosen, start, end).visitors;
}
function readNumbers(json) {
  return JSON.parse(String(json));
}
function findMedianLength({ query: { from, to }, select, visits }) {
  const row = select.one(
    \`SELECT json_group_array(v.last - v.start) AS lengths FROM \${visits.table}
    WHERE \${visits.condition} AND v.events >= 2\`,
    from,
    to
  );
  const sorted = Float64Array.from(readNumbers(row.lengths)).sort();
  return sorted[findRank(sorted.length, 0.5)] ?? null;
}

function findLeftOut(sums, { rows, count }) {
  if (rows.length >= count) return null;
  return subtract(sums, rows);
}
function subtract(sums, rows) {
  return Object.fromEntries(
    Object.entries(sums).map(([name, sum]) => {
      const parts = rows.map((row) => row[name] ?? 0);
      if (typeof sum !== "number") return [name, subtract(sum, parts.filter((part) => typeof part !== "number"))];
      return [name, parts.reduce((rest, part) => rest - Number(part), sum)];
    })
  );
}

function createCounts(database, { table, query, bounds }) {
  database.prepare(\`CREATE TEMP TABLE \${table} AS \${query}\`).run(...bounds);
}
function listCounts(select, { table, sums, query, rows, readSums: readSums3, read }) {
  const all = select.one(
    \`SELECT count(*) AS rows, \${sums.map((name) => \`sum(\${name}) AS \${name}\`).join(", ")} FROM \${table}\`
  );
  const listed = select(\`\${query} LIMIT ?\`, rows);
  const count = Number(all.rows);
  return {
    rows: listed.map(read),
    count,
    other: findLeftOut(readSums3(all), { rows: listed.map(readSums3), count })
  };
}

function countPages(chosen, rows) {
  const { database, query: { from, to }, select, facts, visits, paths } = chosen;
  const pageOf = paths.hasRules ? (path) => \`(SELECT page FROM path_pages WHERE id = \${path})\` : String;
  const labels = paths.hasRules ? "page_labels" : "(SELECT id, text AS label FROM fact_texts)";
  if (paths.hasRules) createPageLabels(chosen);
  const bounds = [from, to];
  createCounts(database, {
    table: "page_ends",
    query: \`SELECT \${pageOf("v.entry")} AS entry, \${pageOf("v.exit")} AS exit, sum(v.is_landing) AS entries,
        \${BOUNCES} AS bounces, count(*) AS exits
      FROM \${visits.table} WHERE \${visits.condition} AND v.exit IS NOT NULL GROUP BY 1, 2\`,
    bounds
  });
  createCounts(database, {
    table: "pages",
    query: \`SELECT views.*, coalesce(entries, 0) AS entries, coalesce(bounces, 0) AS bounces, coalesce(exits, 0) AS exits
      FROM (
        SELECT \${pageOf("f.path")} AS page, \${VIEWS},
          count(DISTINCT CASE WHEN f.kind = 1 THEN f.visitor END) AS visitors, sum(f.engaged) AS engaged
        FROM facts AS f WHERE \${facts} AND (f.kind <= 1 OR f.engaged > 0) GROUP BY 1
        HAVING full_views + aggregate_views > 0
      ) AS views LEFT JOIN (
        SELECT entry AS page, sum(entries) AS entries, sum(bounces) AS bounces FROM page_ends GROUP BY 1
      ) USING (page) LEFT JOIN (SELECT exit AS page, sum(exits) AS exits FROM page_ends GROUP BY 1) USING (page)\`,
    bounds
  });
  return listCounts(select, {
    table: "pages",
    sums: ["full_views", "aggregate_views", "entries", "exits", "bounces", "engaged"],
    query: \`SELECT c.*, l.label AS label FROM pages AS c JOIN \${labels} AS l ON l.id = c.page
      ORDER BY c.full_views + c.aggregate_views DESC, l.label\`,
    rows,
    readSums,
    read: (row) => ({ path: String(row.label), visitors: Number(row.visitors), ...readSums(row) })
  });
}
function readSums(row) {
  return {
    views: readViews(row),
    entries: Number(row.entries ?? 0),
    exits: Number(row.exits ?? 0),
    bounces: Number(row.bounces ?? 0),
    engagedMs: Number(row.engaged ?? 0)
  };
}
function createPageLabels({ database, paths }) {
  database.exec(\`
    CREATE TEMP TABLE path_pages (id INTEGER PRIMARY KEY, page INTEGER NOT NULL) STRICT;
    CREATE TEMP TABLE page_labels (id INTEGER PRIMARY KEY, label TEXT NOT NULL) STRICT;
  \`);
  const addPath = database.prepare("INSERT INTO path_pages (id, page) VALUES (?, ?)");
  const addLabel = database.prepare("INSERT INTO page_labels (id, label) VALUES (?, ?)");
  const pages = /* @__PURE__ */ new Map();
  for (const { id, path } of paths.read()) {
    const page = pages.get(path) ?? id;
    if (page === id) addLabel.run(id, path);
    pages.set(path, page);
    addPath.run(id, page);
  }
}

var OF_USER = \`
  SELECT f.seq AS seq FROM facts AS f INDEXED BY facts_signed_in WHERE f.scope IN scopes AND f.user = ?3
\`;
var OF_VISITOR = \`
  SELECT f.seq AS seq FROM visits AS v INDEXED BY visits_by_start CROSS JOIN facts AS f ON f.visit = v.id
  WHERE v.scope IN scopes AND (v.visitor = ?3 OR v.is_mixed = 1) AND f.visitor = ?3
  UNION ALL
  SELECT f.seq FROM facts AS f INDEXED BY facts_alone WHERE f.scope IN scopes AND f.visit IS NULL AND f.visitor = ?3
\`;
function readPerson(database, of, rows) {
  const [facts, field, id] = "userId" in of ? [OF_USER, "userId", of.userId] : [OF_VISITOR, "anonymousId", of.anonymousId];
  const found = database.prepare(\`
    WITH scopes AS (SELECT id FROM fact_scopes WHERE api_key = ?1 AND site = ?2)
    SELECT events.event AS event FROM (\${facts}) AS found CROSS JOIN facts AS f USING (seq) CROSS JOIN events USING (seq)
    WHERE events.event ->> '$.identity.\${field}' = ?4
    ORDER BY f.time DESC, f.tie DESC LIMIT ?5
  \`).all(of.apiKey, of.site, hashId(toFactText(id)), id, rows);
  return found.map(({ event }) => String(event));
}

function countRetention(chosen, { bounds, returns: events }) {
  const ends = bounds.slice(1);
  const spans = ends.map((end, index) => [bounds[index] ?? end, end]);
  const cohorts = readCohorts(chosen, bounds);
  const sizes = ends.map(() => 0);
  for (const cohort of cohorts.values()) sizes[cohort] = (sizes[cohort] ?? 0) + 1;
  const readReturns = createReturns(chosen, events);
  const returned = spans.map(([start, end]) => {
    const counts = ends.map(() => 0);
    for (const visitor of new Set(readReturns(start, end))) {
      const cohort = cohorts.get(visitor);
      if (cohort !== void 0) counts[cohort] = (counts[cohort] ?? 0) + 1;
    }
    return counts;
  });
  return spans.map(([from], cohort) => ({
    from,
    size: sizes[cohort] ?? 0,
    returned: returned.slice(cohort).map((ofPeriod) => ofPeriod[cohort] ?? 0)
  }));
}
function readCohorts(chosen, bounds) {
  createFirsts(chosen, [bounds[0] ?? 0, bounds.at(-1) ?? 0]);
  const firsts = chosen.select.one(
    \`SELECT json_group_array(visitor) AS visitors, json_group_array(time) AS times
    FROM (SELECT visitor, time FROM firsts ORDER BY time)\`
  );
  const times = readNumbers(firsts.times);
  let cohort = 0;
  return new Map(
    readNumbers(firsts.visitors).map((visitor, index) => {
      while ((times[index] ?? 0) >= (bounds[cohort + 1] ?? Infinity)) cohort++;
      return [visitor, cohort];
    })
  );
}
function createReturns(chosen, events) {
  const { database, query, select, scope } = chosen;
  if (events === void 0) {
    const everything = openChosen(database, { ...query, filters: [] });
    return (start, end) => readVisitors(everything, start, end);
  }
  const isReturn = events.map((event) => buildPoint(event, chosen)).join(" OR ");
  const sql = \`SELECT json_group_array(DISTINCT f.visitor) AS visitors FROM facts AS f
    WHERE f.scope = \${scope} AND f.time >= ? AND f.time < ? AND f.visitor IS NOT NULL AND (\${isReturn})\`;
  return (start, end) => readNumbers(select.one(sql, start, end).visitors);
}

function createFirstVisits({ database, query: { from, to }, select, scope, facts, visits }, ofVisit) {
  database.exec("CREATE TEMP TABLE first_visits (visitor INTEGER PRIMARY KEY, listed INTEGER NOT NULL) STRICT");
  const ofVisitors = \`visits AS v INDEXED BY visits_by_start WHERE v.scope = \${scope} AND v.visitor IS NOT NULL\`;
  const isCounted = \`v.visitor IN (
    SELECT v.visitor FROM \${visits.table} WHERE \${visits.condition}
    UNION ALL SELECT f.visitor FROM facts AS f WHERE \${facts} AND f.kind = 1 AND f.is_arrival = 1
  )\`;
  const { has_earlier: hasEarlier } = select.one(
    \`SELECT EXISTS (SELECT 1 FROM \${ofVisitors} AND v.start < ?) AS has_earlier\`,
    from
  );
  const [condition, bounds] = hasEarlier === 1 ? [isCounted, [from, to, from, to]] : ["true", []];
  database.prepare(
    \`INSERT OR IGNORE INTO first_visits SELECT v.visitor, \${ofVisit} FROM \${ofVisitors} AND \${condition}
    ORDER BY v.visitor, v.start, v.start_tie\`
  ).run(...bounds);
}

function countSources(chosen, { by, of }, rows) {
  const { database, select } = chosen;
  const own = by === "landing" ? { ofFact: "f.path", ofVisit: "iif(v.is_landing, v.entry, 0)" } : { ofFact: "f.source", ofVisit: SOURCE_OF_VISIT };
  const { query, bounds } = of === "first" ? countOfFirst(chosen, by, own) : buildOfSession(chosen, by, own);
  createCounts(database, {
    table: "sources",
    query: \`SELECT label, sum(full_views) AS full_views, sum(aggregate_views) AS aggregate_views, sum(sessions) AS sessions,
        sum(visitors) AS visitors, sum(landings) AS landings, sum(bounces) AS bounces
      FROM (\${query}) GROUP BY label\`,
    bounds
  });
  return listCounts(select, {
    table: "sources",
    sums: ["full_views", "aggregate_views", "sessions", "landings", "bounces"],
    query: "SELECT c.* FROM sources AS c ORDER BY c.sessions DESC, c.full_views + c.aggregate_views DESC, c.label",
    rows,
    readSums: readSums2,
    read: (row) => ({ label: String(row.label) || null, visitors: Number(row.visitors), ...readSums2(row) })
  });
}
var SESSIONS = \`count(*) AS sessions, count(DISTINCT v.visitor) AS visitors, sum(v.is_landing) AS landings, \${BOUNCES} AS bounces\`;
function buildOfSession({ query: { from, to }, facts, visits, labels: label }, by, { ofFact, ofVisit }) {
  const labels = label(by);
  return {
    query: \`SELECT coalesce(l.label, '') AS label, 0 AS full_views, 0 AS aggregate_views, \${SESSIONS}
      FROM \${visits.table} LEFT JOIN \${labels} AS l ON l.id = \${ofVisit} WHERE \${visits.condition} GROUP BY 1
      UNION ALL
      SELECT l.label, full_views, aggregate_views, 0, 0, 0, 0 FROM (
        SELECT \${ofFact} AS id, \${VIEWS} FROM facts AS f WHERE \${facts} AND f.kind <= 1 AND f.is_arrival = 1 GROUP BY 1
      ) AS counts JOIN \${labels} AS l ON l.id = counts.id\`,
    bounds: [from, to, from, to]
  };
}
function countOfFirst(chosen, by, { ofFact, ofVisit }) {
  const { database, query: { from, to }, facts, visits, labels: label } = chosen;
  createFirstVisits(chosen, ofVisit);
  createCounts(database, {
    table: FIRST_COUNTS,
    query: \`SELECT coalesce(firsts.listed, \${ofVisit}) AS id, 0 AS full_views, 0 AS aggregate_views, \${SESSIONS}
      FROM \${visits.table} LEFT JOIN first_visits AS firsts ON firsts.visitor = v.visitor
      WHERE \${visits.condition} GROUP BY 1
      UNION ALL
      SELECT coalesce(firsts.listed, \${ofFact}), count(*), 0, 0, 0, 0, 0
      FROM facts AS f LEFT JOIN first_visits AS firsts ON firsts.visitor = f.visitor
      WHERE \${facts} AND f.kind = 1 AND f.is_arrival = 1 GROUP BY 1\`,
    bounds: [from, to, from, to]
  });
  const labels = label(by, "first");
  return {
    query: \`SELECT coalesce(l.label, '') AS label, c.* FROM \${FIRST_COUNTS} AS c LEFT JOIN \${labels} AS l ON l.id = c.id\`,
    bounds: []
  };
}
function readSums2(row) {
  return {
    views: readViews(row),
    sessions: Number(row.sessions ?? 0),
    landings: Number(row.landings ?? 0),
    bounces: Number(row.bounces ?? 0)
  };
}

function compareTexts(one, other) {
  const isAstral = (unit) => unit >= 55296 && unit < 57344;
  const end = Math.min(one.length, other.length);
  for (let index = 0; index < end; index++) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (left === right) continue;
    if (isAstral(left) !== isAstral(right) && left >= 55296 && right >= 55296) return isAstral(left) ? 1 : -1;
    return left - right;
  }
  return one.length - other.length;
}

function countSteps({ database, query: { from, to }, select, facts }, rows) {
  createCounts(database, {
    table: "steps",
    query: \`SELECT f.name AS id, count(*) AS count, count(DISTINCT f.visitor) AS visitors
      FROM facts AS f WHERE \${facts} AND \${IS_STEP} GROUP BY 1\`,
    bounds: [from, to]
  });
  return listCounts(select, {
    table: "steps",
    sums: ["count"],
    query: "SELECT c.*, t.text AS name FROM steps AS c JOIN fact_texts AS t USING (id) ORDER BY c.count DESC, t.text",
    rows,
    readSums: readCount,
    read: (row) => ({ name: String(row.name), visitors: Number(row.visitors), ...readCount(row) })
  });
}
function countViolations({ database, query: { from, to }, select, facts }, rows) {
  createCounts(database, {
    table: "violations",
    query: \`SELECT f.violation AS id, count(*) AS count FROM facts AS f
      WHERE \${facts} AND f.violation IS NOT NULL GROUP BY 1\`,
    bounds: [from, to]
  });
  return listCounts(select, {
    table: "violations",
    sums: ["count"],
    query: "SELECT c.*, t.text AS label FROM violations AS c JOIN fact_texts AS t USING (id) ORDER BY c.count DESC, t.text",
    rows,
    readSums: readCount,
    read: (row) => ({ ...parseViolation(String(row.label)), ...readCount(row) })
  });
}
function readCount({ count }) {
  return { count: Number(count ?? 0) };
}
function countValues(chosen, { step, key }, rows) {
  const { database, query: { from, to }, select, facts } = chosen;
  const ofStep = \`FROM facts AS f JOIN fact_properties AS p ON p.seq = f.seq
    WHERE \${facts} AND \${IS_STEP} AND f.name IN \${findTexts([step])}\`;
  const keys = select(
    \`SELECT t.text AS key FROM (
      SELECT p.key AS id, count(*) AS count \${ofStep} GROUP BY 1
    ) AS counts JOIN fact_texts AS t USING (id) ORDER BY counts.count DESC, t.text LIMIT \${MAX_PROPERTY_KEYS}\`,
    from,
    to
  ).map((row) => String(row.key));
  if (key === void 0) return { keys, values: [], distinct: 0, other: null, numbers: null };
  const ofKey = \`\${ofStep} AND p.key IN \${findTexts([key])}\`;
  createCounts(database, {
    table: "step_values",
    query: \`SELECT p.kind AS kind, p.value AS value, count(*) AS count, count(DISTINCT f.visitor) AS visitors
      \${ofKey} GROUP BY p.kind, p.value\`,
    bounds: [from, to]
  });
  const all = select.one("SELECT count(*) AS rows, sum(count) AS count FROM step_values");
  const texts = select(
    \`SELECT c.*, t.text AS text FROM step_values AS c JOIN fact_texts AS t ON t.id = c.value
    WHERE c.kind = \${VALUE_KINDS.text} ORDER BY c.count DESC, json_quote(t.text) LIMIT ?\`,
    rows
  );
  const others = select(
    \`WITH others AS (SELECT * FROM step_values WHERE kind <> \${VALUE_KINDS.text})
    SELECT * FROM others WHERE count >= coalesce((SELECT count FROM others ORDER BY count DESC LIMIT 1 OFFSET ? - 1), 0)\`,
    rows
  );
  const values = [...texts, ...others].map((row) => ({
    value: readValue(row),
    count: Number(row.count),
    visitors: Number(row.visitors)
  })).sort(
    (one, other2) => other2.count - one.count || compareTexts(JSON.stringify(one.value), JSON.stringify(other2.value))
  ).slice(0, rows);
  const distinct = Number(all.rows);
  const other = findLeftOut(readCount(all), { rows: values, count: distinct });
  return { keys, values, distinct, other, numbers: countNumbers(select) };
}
function countNumbers(select) {
  const ofNumbers = \`FROM step_values WHERE kind = \${VALUE_KINDS.number}\`;
  const { count, total } = select.one(\`SELECT sum(count) AS count, sum(value * count) AS total \${ofNumbers}\`);
  if (count === null) return null;
  const find = (share) => {
    const sql = \`SELECT value FROM (SELECT value, sum(count) OVER (ORDER BY value) AS up_to \${ofNumbers})
      WHERE up_to > ? ORDER BY value LIMIT 1\`;
    return Number(select.one(sql, findRank(Number(count), share)).value);
  };
  return { count: Number(count), sum: Number(total), median: find(0.5), p90: find(0.9) };
}
function readValue({ kind, value, text }) {
  if (Number(kind) === VALUE_KINDS.text) return String(text);
  if (Number(kind) === VALUE_KINDS.number) return Number(value);
  return Number(kind) === VALUE_KINDS.null ? null : Number(value) === 1;
}

function toTailName({ seq, id }) {
  return \`\${seq} \${id}\`;
}

var BUSY_TIMEOUT_MS3 = 2e3;
var CACHE_KIB2 = 65536;
var FOLLOW_MS2 = 100;
var [LOG_WAIT_MS, LOG_LOOK_MS] = [1e3, 20];
var SITES = \`
  SELECT site FROM fact_scopes WHERE api_key = ?1 AND site <> '' AND events > 0
  GROUP BY site ORDER BY sum(events) DESC, site LIMIT \${MAX_SITES}
\`;
var LAST_TIME = \`
  SELECT max((SELECT max(time) FROM facts WHERE scope = fact_scopes.id)) AS time
  FROM fact_scopes WHERE api_key = ?1 AND site = ?2
\`;
var PAGEVIEWS_OF_MONTH = "SELECT count FROM pageviews WHERE api_key = ?1 AND month = ?2";
var OF_KEY = "(?1 IS NULL OR api_key = ?1)";
var MAX_LOOK_BACK = 1e5;
var NEWEST = "SELECT max(seq) AS seq FROM events";
var PROGRESS2 = "SELECT (SELECT seq FROM facts_mark) AS taken, (SELECT max(seq) FROM events) AS last";
var TAIL_NEWEST = \`
  SELECT seq, id, event FROM events WHERE seq > ?2 AND seq < ?3 AND \${OF_KEY} ORDER BY seq DESC LIMIT ?4
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
    sites: (path, apiKey) => withDatabase(path, (select) => select(SITES, apiKey).map(({ site }) => String(site))),
    countPageviews: (path, apiKey, month) => withDatabase(path, (select) => Number(select(PAGEVIEWS_OF_MONTH, apiKey, month)[0]?.count ?? 0)),
    lastTime: (path, { apiKey, site }) => withDatabase(path, (select) => {
      const time = select(LAST_TIME, apiKey, site)[0]?.time;
      return typeof time === "number" ? time : void 0;
    }),
    overview: (path, query, bounds) => withChosen(path, query, (chosen) => countOverview(chosen, bounds)),
    countFlagged: (path, query) => withDatabase(path, (_select, database) => countFlagged(database, query)),
    pages: (path, query, rows) => withChosen(path, query, (chosen) => countPages(chosen, rows)),
    sources: (path, query, grouping, rows) => withChosen(path, query, (chosen) => countSources(chosen, grouping, rows)),
    steps: (path, query, rows) => withChosen(path, query, (chosen) => countSteps(chosen, rows)),
    violations: (path, query, rows) => withChosen(path, query, (chosen) => countViolations(chosen, rows)),
    stepValues: (path, query, of, rows) => withChosen(path, query, (chosen) => countValues(chosen, of, rows)),
    countEvents: (path, query, events, bounds) => withChosen(path, query, (chosen) => countEvents(chosen, events, bounds)),
    funnel: (path, query, funnel) => withChosen(path, query, (chosen) => countFunnel(chosen, funnel)),
    retention: (path, query, options) => withChosen(path, { ...query, from: -FARTHEST_MS, to: FARTHEST_MS }, (chosen) => countRetention(chosen, options)),
    acceptance: (path, query, bounds) => withChosen(path, query, (chosen) => countAcceptance(chosen, bounds)),
    person: (path, of, rows) => withDatabase(
      path,
      (_select, database) => readPerson(database, of, rows).map((text) => JSON.parse(text))
    ),
    progress: (path) => withDatabase(path, (select) => {
      const [{ taken = 0, last = 0 } = {}] = select(PROGRESS2);
      return Number(last) === 0 ? 1 : Number(taken) / Number(last);
    }),
    tailNewest: (path, apiKey, count) => withDatabase(path, (select, database) => {
      const newest = Number(select(NEWEST)[0]?.seq ?? 0);
      const read = database.prepare(TAIL_NEWEST);
      const found = readPieces(
        newest + 1,
        (before, most) => read.all(apiKey, newest - MAX_LOOK_BACK, before, most)
      );
      const { rows, isMore } = readTail(found, { count });
      return { rows: rows.toReversed(), newest, isMore };
    }),
    tailAfter: (path, apiKey, { after, known }) => withDatabase(path, (select, database) => {
      const newest = Number(select(NEWEST)[0]?.seq ?? 0);
      const read = database.prepare(TAIL_AFTER);
      const found = readPieces(after, (last, most) => read.all(apiKey, last, most));
      return { ...readTail(found, { count: TAIL_EVENTS, known: new Set(known) }), newest };
    })
  };
}
function readTail(found, { count, known = /* @__PURE__ */ new Set() }) {
  const rows = [];
  let units = 0;
  for (const { seq, id, event } of found) {
    const row = { seq: Number(seq), id: String(id), event: String(event) };
    if (known.has(toTailName(row))) continue;
    rows.push(row);
    units += row.event.length;
    if (units >= TAIL_UNITS || rows.length >= count) return { rows, isMore: true };
  }
  return { rows, isMore: false };
}
function waitForShortLog(path) {
  const endMs = performance.now() + LOG_WAIT_MS;
  while (isLogLong(path) && performance.now() < endMs) pause(LOG_LOOK_MS);
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
    opened.exec(\`PRAGMA busy_timeout = \${BUSY_TIMEOUT_MS3}; PRAGMA cache_size = -\${CACHE_KIB2}\`);
    if (readVersion(opened) !== SCHEMA_VERSION) throw new Error("no SQLite sink of this version has opened it yet");
    followNow(path);
    opened.exec("BEGIN");
    return read((query, ...values) => opened.prepare(query).all(...values), opened);
  } catch (cause) {
    throw new Error(\`the SQLite database \${JSON.stringify(path)} can't be read: \${describeError(cause)}\`, { cause });
  } finally {
    database?.close();
  }
}
function withChosen(path, query, read) {
  return withDatabase(path, (_select, database) => read(openChosen(database, query)));
}
function followNow(path) {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path);
  try {
    database.exec(\`PRAGMA busy_timeout = \${BUSY_TIMEOUT_MS3}; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON\`);
    const { follow, recount } = openFacts(database);
    const endMs = performance.now() + FOLLOW_MS2;
    while (follow() && performance.now() < endMs) ;
    recount();
  } catch {
  } finally {
    database.close();
  }
}

function createBackupCalls() {
  return {
    backUp: (path, copyPath) => {
      const { DatabaseSync } = loadSqlite();
      const database = new DatabaseSync(path, { readOnly: true });
      try {
        if (readVersion(database) !== SCHEMA_VERSION) {
          throw new Error(\`\${path} isn't a database of this ingest\`);
        }
        database.prepare("VACUUM INTO ?").run(copyPath);
      } finally {
        database.close();
      }
    }
  };
}

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
    if (isLast) {
      store.facts.forgetTexts();
      store.erasures.finish(current.erasures);
    }
    work = isLast ? void 0 : { ...current, after: last };
    return true;
  };
}

function commitBatches(store, batches) {
  const { database } = store;
  runLocked(database, "BEGIN IMMEDIATE");
  try {
    const isErased2 = store.erasures.read();
    const outcomes = batches.map((batch) => storeBatch(store, batch, isErased2));
    database.exec("COMMIT");
    return outcomes;
  } catch (error) {
    tryToRun2(store, "ROLLBACK");
    throw error;
  }
}
function storeBatch(store, batch, isErased2) {
  store.database.exec("SAVEPOINT batch");
  try {
    const committed = insertEvents(store, batch, isErased2);
    store.database.exec("RELEASE batch");
    return committed;
  } catch (error) {
    if (!tryToRun2(store, "ROLLBACK TO batch; RELEASE batch")) throw error;
    return { fault: describeError(error) };
  }
}
function insertEvents(store, { apiKey, texts }, isErased2) {
  const events = texts.map((text) => JSON.parse(text));
  const keyHash = store.erasures.hashKey(apiKey);
  const kept = [...events.entries()].filter(([, event]) => !isErased2(toOwner(keyHash, event)));
  const stored = kept.filter(([index, { id }]) => store.insert.run(apiKey, id, texts[index] ?? "").changes > 0).map(([index]) => index);
  const erased = events.length - kept.length;
  const pageviews = stored.flatMap((index) => events[index] ?? []).filter(isPageview);
  const [first] = pageviews;
  if (first === void 0) return { stored, erased };
  const row = store.addPageviews.get(apiKey, monthOf(first.receivedAt), pageviews.length);
  return { stored, erased, pageviewsThisMonth: Number(row?.count) };
}
function tryToRun2({ database }, statement) {
  try {
    database.exec(statement);
    return true;
  } catch {
    return false;
  }
}

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

var LOOK_EVERY_MS = 500;
var CORRECT_EVERY_MS = 25;
var FOLLOW_EVERY_MS = 25;
var MOST_WAITING_EVENTS = 2e4;
var PATIENCE_MS = 2e3;
var ATTEMPT_WAIT_MS2 = 50;
function createSinkCalls() {
  let opened;
  let commits = 0;
  function find() {
    if (opened === void 0) throw new Error("the SQLite sink is closed");
    return opened;
  }
  return {
    open: (givenPath) => {
      const path = toWholePath(givenPath);
      const guard = openGuarded(loadSqlite(), path);
      opened = { path, guard, timer: workRegularly(guard, () => commits) };
    },
    commit: (batches) => {
      commits += 1;
      return find().guard.use((store) => commitBatches(store, batches));
    },
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
function workRegularly(guard, countCommits) {
  const correct = createCorrection();
  let correctAtMs = 0;
  let commits = 0;
  let timer;
  function tick() {
    let waitMs = LOOK_EVERY_MS;
    try {
      if (performance.now() >= correctAtMs) {
        const isMore = guard.use(correct);
        if (isMore) waitMs = CORRECT_EVERY_MS;
        correctAtMs = performance.now() + waitMs;
      }
      waitMs = Math.min(waitMs, guard.use(({ facts }) => followSome(facts)));
    } catch {
    }
    timer = setTimeout(tick, waitMs);
  }
  function followSome({ progress, follow }) {
    const isBusy = commits !== countCommits();
    commits = countCommits();
    const { taken, last } = progress();
    if (isBusy && last - taken < MOST_WAITING_EVENTS) return FOLLOW_EVERY_MS;
    return follow() ? 0 : LOOK_EVERY_MS;
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
    await new Promise((resolve2) => setTimeout(resolve2, ATTEMPT_WAIT_MS2));
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
