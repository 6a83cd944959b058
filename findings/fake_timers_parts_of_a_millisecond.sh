#!/usr/bin/env bash
# @sinonjs/fake-timers 15.5.0: after tick(0.3) a timer of 1 ms fires 0.7 ms later, before performance.now() has moved by 1.
# Timers go by whole milliseconds, performance.now() by parts of them. Code that asks the clock whether its own timer is
# due finds that it isn't, and waits again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --loglevel=error @sinonjs/fake-timers@15.5.0 >>npm.log

cat >try.mjs <<'EOF'
import FakeTimers from "@sinonjs/fake-timers";

const clock = FakeTimers.createClock();
clock.tick(0.3);
const started = clock.performance.now();
clock.setTimeout(() => console.log("fired after", (clock.performance.now() - started).toFixed(1), "of 1 ms"), 1);
clock.tick(0.7);
console.log("Date.now() is", clock.Date.now());
EOF
cat >expected <<'EOF'
fired after 0.7 of 1 ms
Date.now() is 1
EOF
node try.mjs | tee seen
diff expected seen
