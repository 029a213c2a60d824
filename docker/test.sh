#!/usr/bin/env bash
# Builds the images, starts the cluster of docker/cluster.yml, moves money in it while containers are
# killed, paused and cut off, and checks that every snapshot saw the same sum.
#
#   docker/test.sh [--quick | --validators] [--seconds N] [--keep]
#
#   --quick              docker/demo.yml instead, and fewer faults
#   --validators         docker/secured.yml and docker/validators.yml over it, and faults of validators
#   --seconds N          how long money moves; 75 by default and not less than 60, with --quick 30
#   --keep               leaves the cluster running
#   LAMPONE_DIST         a distribution that is built already (lampone-VERSION-bin.tar.gz)
#   LAMPONE_MAVEN_OPTS   further options of Maven, for example "-o"
#   LAMPONE_BASE_IMAGE   where docker/base-image.sh keeps the base image; outside of the tree is best
#   LAMPONE_REQUIRE_PROMTOOL   if set, a missing promtool is a failure
#
# Exit code 0: all is well. Uses the engine that answers; starts a private one if none does.
set -euo pipefail

here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here root=${here%/*} PROJECT=lampone-test
seconds=
file=cluster
validators=no
keep=no

say() {
  printf '[docker] %5d s  %s\n' "$SECONDS" "$*"
}

die() {
  say "FAILED: $*"
  exit 1
}

while (($# > 0)); do
  case $1 in
    --seconds)
      [[ ${2:-} =~ ^[0-9]+$ ]] || die "--seconds needs a number"
      seconds=$((10#$2))
      shift 2
      ;;
    --quick)
      file=demo
      shift
      ;;
    --validators)
      validators=yes
      shift
      ;;
    --keep)
      keep=yes
      shift
      ;;
    *) die "unknown option: $1" ;;
  esac
done

[[ $file$validators != demoyes ]] || die "--quick has no validators"
least=60
managers=(tm1 tm2)
if [[ $file == demo ]]; then
  least=30
  managers=(tm)
  seconds=${seconds:-30}
fi
seconds=${seconds:-75}
((seconds >= least)) || die "--seconds must be $least at least: the faults take that long"

command -v docker >/dev/null || die "docker is missing; apt-get install docker.io docker-compose"
# The second version is a part of docker, the first a program of its own.
if command -v docker-compose >/dev/null; then
  readonly COMPOSE=(docker-compose)
elif docker compose version >/dev/null 2>&1; then
  readonly COMPOSE=(docker compose)
else
  die "docker-compose is missing; apt-get install docker-compose"
fi
if ! docker info >/dev/null 2>&1; then
  [[ -z ${LAMPONE_PRIVATE_ENGINE:-} ]] || die "the private engine does not answer"
  say "no Docker engine answers: starting a private one"
  folder=$(mktemp -d)
  options=(--seconds "$seconds")
  [[ $file != demo ]] || options+=(--quick)
  [[ $validators == no ]] || options+=(--validators)
  code=0
  LAMPONE_PRIVATE_ENGINE=yes "$here/engine.sh" "$folder" "${BASH_SOURCE[0]}" "${options[@]}" || code=$?
  rm -rf "$folder" || say "left behind: $folder"
  exit "$code"
fi

files=(--file "$here/$file.yml")
site=/etc/lampone/hbase-site.xml
if [[ $validators == yes ]]; then
  files+=(--file "$here/secured.yml" --file "$here/validators.yml")
  site=/secrets/hbase-site.xml
  [[ -e $here/secrets ]] || made_secrets=yes
fi
compose() {
  "${COMPOSE[@]}" --project-name "$PROJECT" "${files[@]}" "$@"
}

# The name of the container of a service; each version of compose makes another one of it.
name_of() {
  docker ps --all --filter "label=com.docker.compose.project=$PROJECT" \
    --filter "label=com.docker.compose.service=$1" --filter label=com.docker.compose.oneoff=False \
    --format '{{.Names}}'
}

# Whether all servers are what docs/operations/docker.md says of them.
all_hardened() {
  local each user readonly_root memory healthcheck capabilities
  for each in $(docker ps --all --filter "label=com.docker.compose.project=$PROJECT" \
    --filter label=com.docker.compose.oneoff=False --format '{{.Names}}'); do
    read -r user readonly_root memory healthcheck capabilities < <(docker inspect --format \
      '{{or .Config.User "root"}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.Memory}} {{if .Config.Healthcheck}}yes{{else}}no{{end}} {{.HostConfig.CapDrop}}' "$each")
    [[ $user != root && $user != 0* ]] || die "$each runs as $user"
    [[ $readonly_root == true ]] || die "$each can write to its root file system"
    ((memory > 0)) || die "$each has no limit of memory"
    [[ $healthcheck == yes ]] || die "$each has no health check"
    [[ $capabilities == '[ALL]' ]] || die "$each keeps capabilities: $capabilities"
  done
}

# A tree that nothing has been built in has none.
mkdir -p "$root/target"
logs=$root/target/docker/logs
clean_up() {
  local code=$? each
  mkdir -p "$logs"
  for each in $(docker ps --all --filter "label=com.docker.compose.project=$PROJECT" --format '{{.Names}}'); do
    docker logs "$each" >"$logs/$each.log" 2>&1 || true
  done
  ((code == 0)) || say "logs are in $logs"
  if [[ $keep == no ]]; then
    compose down --volumes --remove-orphans --timeout 5 >/dev/null 2>&1 || true
    [[ -z ${made_secrets:-} ]] || rm -rf "$here/secrets"
  fi
}
trap clean_up EXIT

# Whether all servers say that they are well.
all_well() {
  local state
  state=$(docker ps --all --filter "label=com.docker.compose.project=$PROJECT" \
    --filter label=com.docker.compose.oneoff=False --format '{{.Status}}')
  [[ -n $state ]] && ! grep -qv '(healthy)' <<<"$state"
}

await_well() {
  local end=$((SECONDS + $1))
  until all_well; do
    ((SECONDS < end)) || {
      docker ps --all --filter "label=com.docker.compose.project=$PROJECT" --format '{{.Names}} {{.Status}}'
      die "not all servers are well after $1 s"
    }
    sleep 1
  done
}

# The transaction manager that is the primary, by its own word.
primary() {
  local each
  for each in "${managers[@]}"; do
    if docker exec "$(name_of "$each")" bash -c \
      'exec 3<>/dev/tcp/127.0.0.1/17311; printf "GET /ready HTTP/1.0\r\n\r\n" >&3; timeout 2 cat <&3' \
      2>/dev/null | grep -q '"role":"primary"'; then
      printf '%s' "$each"
      return
    fi
  done
}

network=${PROJECT}_lampone

kill_and_restart() {
  say "kill -9: $1"
  docker kill --signal KILL "$(name_of "$1")" >/dev/null
  sleep 3
  docker start "$(name_of "$1")" >/dev/null
}

pause() {
  say "pause for $2 s: $1"
  docker pause "$(name_of "$1")" >/dev/null
  sleep "$2"
  docker unpause "$(name_of "$1")" >/dev/null
}

cut_off() {
  say "cut off for $2 s: $1"
  docker network disconnect "$network" "$(name_of "$1")"
  sleep "$2"
  docker network connect --alias "$1" "$network" "$(name_of "$1")"
}

# The faults, one after the other; each leaves time to get on again.
break_cluster() {
  local first second
  first=$(primary)
  [[ -n $first ]] || die "no transaction manager is the primary"
  kill_and_restart "$first"
  sleep 6
  kill_and_restart rs2
  sleep 6
  second=$(primary)
  [[ -n $second ]] || die "no transaction manager is the primary after the first was killed"
  pause "$second" 6
  sleep 3
  cut_off rs3 8
  sleep 2
  kill_and_restart datanode1
  kill_and_restart zk2
}

# A validator is lost at once, or when it is silent; its buckets go to the others.
break_validators() {
  kill_and_restart v1
  sleep 4
  pause v2 4
  sleep 4
}

# How many validators vote.
voting() {
  compose run --rm -T -e LAMPONE_JAVA_OPTS=-Xmx256m shell \
    validator list --config "$site" 2>/dev/null | grep -c ' votes ' || true
}

await_votes() {
  local end=$((SECONDS + $1))
  until (($(voting) == 3)); do
    ((SECONDS < end)) || die "not all validators have a share after $1 s"
    sleep 2
  done
}

# One of each, so nothing goes on while one is away; money that was on its way must not be lost.
break_demo() {
  kill_and_restart tm
  sleep 3
  pause regionserver 4
  sleep 2
  cut_off tm 4
}

if ! docker image inspect eclipse-temurin:17-jre >/dev/null 2>&1; then
  say "no base image: making one from Debian's packages"
  "$here/base-image.sh" ${LAMPONE_BASE_IMAGE:+"$LAMPONE_BASE_IMAGE"} >/dev/null
fi
say "building the images"
"$here/build.sh" >"$root/target/docker-build.log" 2>&1 ||
  { tail -n 20 "$root/target/docker-build.log"; die "the images cannot be built"; }

# An application's test: a cluster in one container of the image. Ryuk would be one more image.
say "a test with Testcontainers"
# shellcheck disable=SC2086 # The options are words.
(cd "$root" && DOCKER_HOST=${DOCKER_HOST:-unix:///var/run/docker.sock} LAMPONE_REQUIRE_DOCKER=yes LAMPONE_IMAGE=lampone:latest \
  ./mvnw -B -q -ntp ${LAMPONE_MAVEN_OPTS:-} -Prelease verify -pl :lampone-testcontainers -am -Dmaven.javadoc.skip \
  -Dtest=none -Dit.test=LamponeContainerIT -Dsurefire.failIfNoSpecifiedTests=false \
  -Dfailsafe.failIfNoSpecifiedTests=false) >"$root/target/docker-testcontainers.log" 2>&1 ||
  { tail -n 30 "$root/target/docker-testcontainers.log"; die "the test with Testcontainers fails"; }

say "checking the rules of Prometheus and the compose files"
for each in demo cluster; do
  "${COMPOSE[@]}" --file "$here/$each.yml" config --quiet
done
[[ -z ${made_secrets:-} ]] || "$here/secrets.sh"
if [[ -e $here/secrets ]]; then
  "${COMPOSE[@]}" --file "$here/cluster.yml" --file "$here/secured.yml" config --quiet
  "${COMPOSE[@]}" --file "$here/cluster.yml" --file "$here/secured.yml" --file "$here/validators.yml" config --quiet
fi
if command -v promtool >/dev/null; then
  (cd "$here/monitoring" && promtool check config --syntax-only prometheus.yml &&
    promtool check rules ../../docs/operations/alerts.yml && promtool test rules alerts-test.yml) >/dev/null
else
  [[ -z ${LAMPONE_REQUIRE_PROMTOOL:-} ]] || die "promtool is missing; apt-get install prometheus"
  say "promtool is missing (apt-get install prometheus): rules not checked"
fi

say "starting $file.yml"
compose up --detach 2>"$root/target/docker-up.log" || { cat "$root/target/docker-up.log"; die "compose up"; }
await_well 180
say "all are well"
all_hardened

token=
[[ $validators == no ]] || token="Authorization: Bearer $(<"$here/secrets/lampone/http.token")"

if command -v promtool >/dev/null; then
  code=0
  docker exec "$(name_of "${managers[0]}")" bash -c \
    'exec 3<>/dev/tcp/127.0.0.1/17311; printf "GET /metrics HTTP/1.0\r\nHost: localhost\r\n%s\r\n\r\n" "$1" >&3; cat <&3' \
    metrics "$token" |
    sed '1,/^\r*$/d' | promtool check metrics >/dev/null 2>&1 || code=$?
  # 3: remarks of style, such as no text of help; those texts are in docs/operations/metrics-reference.md.
  ((code == 0 || code == 3)) || die "the metrics page cannot be read by Prometheus"
fi

# Where it is an administrator it knows the hot rows, even if there are none.
overview() {
  docker exec "$(name_of console)" bash -c \
    'exec 3<>/dev/tcp/127.0.0.1/17312; printf "GET /api/overview HTTP/1.0\r\nHost: localhost\r\n%s\r\n\r\n" "$1" >&3; cat <&3' \
    overview "$token" 2>/dev/null || true
}
end=$((SECONDS + 60))
known='"hotRows":['
[[ $file$validators != clusterno ]] || known='"role":"primary"'
until [[ $(overview) == *"$known"* ]]; do
  ((SECONDS < end)) || { overview; die "the console does not know $known"; }
  sleep 1
done
say "the console knows the cluster"

# A master listens before it can be asked.
end=$((SECONDS + 90))
until compose run --rm -T -e LAMPONE_JAVA_OPTS=-Xmx256m shell \
  table list --config "$site" >"$root/target/docker-bank.log" 2>&1; do
  ((SECONDS < end)) || { cat "$root/target/docker-bank.log"; die "HBase does not answer"; }
done

[[ $validators == no ]] || await_votes 60
say "money moves for $seconds s"
: >"$root/target/docker-bank.log"
report=$(mktemp)
compose run --rm -T -e LAMPONE_JAVA_OPTS=-Xmx256m shell \
  bank --config "$site" --seconds "$seconds" --threads 4 --accounts 50 --json \
  >"$report" 2>>"$root/target/docker-bank.log" &
bank=$!

# Faults hit a cluster at work, or they show nothing.
until grep -q ' transfers, ' "$root/target/docker-bank.log"; do
  kill -0 "$bank" 2>/dev/null || break
  sleep 0.5
done
if [[ $file == demo ]]; then
  break_demo
else
  [[ $validators == no ]] || break_validators
  break_cluster
fi

wait "$bank" || { tail -n 20 "$root/target/docker-bank.log"; cat "$report"; die "the bank is not well"; }
line=$(tail -n 1 "$report")
say "$line"
[[ $line == *'"sumConstant":true'* && $line == *'"unreadableAccounts":0'* ]] || die "the sum is wrong"
pause=${line#*\"longestPauseMillis\":}
pause=${pause%%,*}
((pause > 1000)) || die "no fault was felt: longestPauseMillis=$pause"
rm -f "$report"

say "everybody comes back"
await_well 120
[[ -n $(primary) ]] || die "no transaction manager is the primary at the end"
[[ $validators == no ]] || await_votes 90

if [[ $keep == no ]]; then
  say "stopping"
  compose stop --timeout 30 2>/dev/null
  killed=$(docker ps --all --filter "label=com.docker.compose.project=$PROJECT" --filter exited=137 \
    --format '{{.Names}}')
  [[ -z $killed ]] || die "did not stop by themselves: $killed"
fi
say "all is well"
