# `$H` is the phone's home, `$W` a directory beside it. `judge DIR` has a home judged.
exec 2>/dev/null
b() { "$BIN/baton" --home "$H" "$@"; }
pid() { ls -t "$H/journal" | grep -- "-$1-" | head -1 | sed 's/.*-\([0-9]*\)\(-[0-9]*\)\?\.jsonl/\1/'; }
k() { for p in "${@:2}"; do kill "$1" $(pid $p); done; }
gone() { for p in "$@"; do while kill -0 $(pid $p); do sleep 0.02; done; done; }
connected() { until b status | grep -q ': connected'; do sleep 0.05; done; }
away() { b app home >/dev/null; b app quit >/dev/null; until b status | grep -q 'app *not running'; do sleep 0.05; done; }
pay() { b pay --hold-seconds 30 $(b invoice ${1:-100}) >/dev/null; }
later() { I=$(b invoice ${1:-100}); away; b pay --no-wait $I >/dev/null; }
up() { b up >/dev/null; b app open >/dev/null; connected; }
dead() { k -9 iosd lspd mainappd "$EXT"; gone iosd lspd mainappd; }
copy() { rm -rf "$W/$1"; mkdir -m 700 "$W/$1"; for d in "${@:2}"; do cp -a "$H/$d" "$W/$1/"; pay 7; done; judge "$W/$1"; }
boot() {
  printf '%s-2222-4333-8444-555555555555\n' "$2" > "$W/boot"
  unshare -m -T --boottime $1 --monotonic $1 sh -c \
    'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"' "$W/boot" bash -c "$FUNCTIONS $3"
}
