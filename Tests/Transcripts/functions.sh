# Functions for the commands of the transcripts, in bash. The phone is `phone`, in a directory of its own.

# Programs under a sanitizer exceed any phone's memory limit.
baton() {
  if [ -n "${BATON_SANITIZED-}" ] && [[ " $* " == *" up "* && " $* " != *" --build "* ]]; then
    command baton "$@" --build debug
  else
    command baton "$@"
  fi
}

# await PATTERN COMMAND...: until the command prints a line with the pattern.
await() {
  local pattern=$1 tries said
  shift
  for ((tries = 0; tries < 600; tries++)); do
    said=$("$@" 2>&1)
    grep -qE -e "$pattern" <<<"$said" && return
    sleep 0.05
  done
  printf 'gave up waiting for %s in:\n%s\n' "$pattern" "$said"
  return 1
}

# A phone with the app in front; the options are those of `baton up`.
up() { baton up "$@" >/dev/null && front; }
front() { baton app open >/dev/null && await ': connected$' baton status; }

# Until the peer sees that the wallet is offline.
gone() { await '"wallet_connected":false' baton status --json; }
away() { baton app quit >/dev/null && gone; }
home() { baton app home >/dev/null && gone; }

# begin FILE WORDS...: `baton WORDS...` in the background as process $!, with its output in FILE.
begin() {
  : >"$1"
  env baton "${@:2}" >"$1" 2>&1 &
}
# ended PROCESS: waits for its end, and gives its exit code.
ended() { wait "$1"; }

# The members of that name in JSON, one a line.
member() { grep -oE "\"$1\":(\"[^\"]*\"|\[[^]]*\]|[^],}]*)" | sed -E 's/^"[^"]*"://'; }
# The process of that name that `baton list processes` lists.
pid() { baton list processes | awk -v name="$1" '$1 == name { print $2; found = 1 } END { exit !found }'; }
sound() { baton judge "$@" | grep -E '^Verdict|broken'; }
program() { mkdir -p "$(dirname "$1")" && cat >"$1" && chmod 700 "$1"; }
# Ends what a section has started.
finish() {
  local place
  for place in */os; do command baton --home "${place%/os}" down; done
  kill $(jobs -p)
  wait
}
