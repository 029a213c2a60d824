#!/usr/bin/env bash
# Starts a private Docker engine and runs a command with it; stops it afterwards. Behind it leaves its
# folder, and what every engine leaves: the bridge docker0, its chains of iptables and empty control
# groups. For machines where no engine runs. Needs root, dockerd and iptables.
#
#   docker/engine.sh FOLDER COMMAND...
set -euo pipefail

(($# >= 2)) || {
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
  exit 2
}
mkdir -p "$1"
folder=$(cd -P "$1" && pwd)
shift
command -v dockerd >/dev/null || {
  echo "docker/engine.sh: dockerd is missing; apt-get install docker.io" >&2
  exit 1
}

setsid dockerd --data-root "$folder/data" --exec-root "$folder/exec" -H "unix://$folder/docker.sock" \
  --pidfile "$folder/docker.pid" >"$folder/engine.log" 2>&1 </dev/null &
engine=$!

stop_engine() {
  kill "$engine" 2>/dev/null || true
  wait "$engine" 2>/dev/null || true
  while mountpoint -q "$folder/exec/netns/default" 2>/dev/null; do umount "$folder/exec/netns/default" || break; done
  ! mountpoint -q "$folder/exec" || umount "$folder/exec" || true
}
trap stop_engine EXIT

export DOCKER_HOST=unix://$folder/docker.sock
for _ in $(seq 1 100); do
  if docker info >/dev/null 2>&1; then
    "$@"
    exit
  fi
  kill -0 "$engine" 2>/dev/null || break
  sleep 0.1
done
echo "docker/engine.sh: the engine does not answer; see $folder/engine.log" >&2
exit 1
