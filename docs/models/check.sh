#!/usr/bin/env bash
# Checks the models of the transaction manager: each must hold in every schedule, and each planted
# mistake must be found. See README.md for what they say.
# Usage: docs/models/check.sh [--long] [--changed | --write] [MODEL...]
#   --long     also the larger configurations: 10 GB of memory, about 20 minutes
#   --changed  only the lines that are not in checked.txt: of which the source, the flags or the checker
#              are others than when the line was last as expected
#   --write    runs everything and writes checked.txt, if all was as expected
#   MODEL      only the lines of the table with these names
set -euo pipefail

# The compiler takes as long as the search: what it gains at -O2 is less than it costs.
readonly MODEL_OPTIMIZATION=-O1
readonly MUTANT_OPTIMIZATION=-O0
readonly MAX_DEPTH=1000000
MEMORY_MEGABYTES=4000
TABLE_BITS=22

models="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/tm"
scratch="$(mktemp -d)"
readonly models scratch
readonly record="$models/../checked.txt"
trap 'rm -rf "$scratch"' EXIT

failures=0
long=false
changed=false
write=false
unchanged=0
wanted=()

say() {
  printf '[models] %s\n' "$*"
}

fail() {
  say "FAILED: $*"
  failures=$((failures + 1))
}

is_wanted() {
  local name
  ((${#wanted[@]} == 0)) && return 0
  for name in "${wanted[@]}"; do
    [[ $name == "$1" ]] && return 0
  done
  return 1
}

# fingerprint FILE WORD...: of all that decides what a line shows. The search is exhaustive and without
# chance: the same source, flags, checker and method have the same result.
fingerprint() {
  local file=$1
  shift
  { printf '%s\n' "$checker" "$method" "$*" && cat "$file"; } | sha256sum | cut -c1-32
}

# is_due FILE WORD...: the line is to be run; its fingerprint is kept for --write.
is_due() {
  local sum
  sum=$(fingerprint "$@")
  if $changed && grep -q -s -x -F "$sum" "$record"; then
    unchanged=$((unchanged + 1))
    return 1
  fi
  echo "$sum" >>"$scratch/checked"
}

# build SEARCH FILE FLAG...: a verifier in a clean directory, which becomes the present one.
build() {
  local search=$1 file=$2 optimization=$MUTANT_OPTIMIZATION
  shift 2
  [[ $search == exhaustive ]] && optimization=$MODEL_OPTIMIZATION
  rm -rf "$scratch/run"
  mkdir "$scratch/run"
  cd "$scratch/run"
  cp "$models/$file" .
  if ! spin -a "$@" "$file" >spin.log 2>&1; then
    cat spin.log
    return 1
  fi
  local options=(-DSAFETY -DVECTORSZ=512 "-DMEMLIM=$MEMORY_MEGABYTES")
  [[ $search == shortest ]] && options+=(-DBFS)
  gcc -w "$optimization" "${options[@]}" -o pan pan.c
}

# The first match of a pattern's group in the verifier's output.
found() {
  sed -n -E "s/.*$1.*/\\1/p" pan.log | head -n 1
}

is_complete() {
  [[ $(found 'errors: ([0-9]+)') == 0 ]] \
    && ! grep -q -i -E 'max search depth too small|not completed|truncated|MEMLIM|aborting' pan.log
}

# model NAME FILE FLAG...: holds in every schedule.
model() {
  local name=$1 file=$2
  shift 2
  is_wanted "$name" && is_due "$models/$file" model "$@" || return 0
  local began=$SECONDS
  # Processes that have nothing more to do are no deadlock: -E.
  if ! build exhaustive "$file" "$@" || ! ./pan -E -m$MAX_DEPTH -w$TABLE_BITS >pan.log 2>&1 || ! is_complete; then
    tail -n 40 pan.log 2>/dev/null || true
    fail "model $name ($file $*)"
    return 0
  fi
  printf '%-18s %12s states  depth %6s  %6s MB  %4s s  %s\n' "$name" "$(found ' ([0-9]+) states, stored')" \
    "$(found 'depth reached ([0-9]+)')" "$(found ' ([0-9]+)\.?[0-9]*.total actual memory')" \
    "$((SECONDS - began))" "$file $*"
}

# The name of the property that a trail ends in: the comment beside the failed assertion.
property() {
  local line
  line=$(spin -t "$@" 2>&1 | sed -n -E 's/^spin: [a-z]+\.pml:([0-9]+), Error: assertion violated.*/\1/p' | head -n 1)
  [[ -n $line ]] && sed -n -E "${line}s/.*\\/\\* ([A-Z][0-9]+): .*/\\1/p" "${!#}"
}

# mutant PROPERTY NAME FILE FLAG...: the mistake NAME (one flag or several, with commas) breaks PROPERTY.
mutant() {
  local expected=$1 name=$2 file=$3
  shift 3
  is_wanted "$name" && is_due "$models/$file" mutant "$expected" "$name" "$@" || return 0
  local flags=("$@") flag
  for flag in ${name//,/ }; do
    flags+=("-D$flag")
  done
  if ! build shortest "$file" "${flags[@]}"; then
    fail "$name does not compile"
    return 0
  fi
  ./pan -E -w20 >pan.log 2>&1 || true
  local broken
  broken=$(property "${flags[@]}" "$file" || true)
  if [[ $broken != "$expected" ]]; then
    fail "$name breaks '${broken:-nothing}', not $expected ($file ${flags[*]})"
    return 0
  fi
  printf '%-42s %s  %4s steps  %9s states  %s\n' "$name" "$broken" "$(found 'at depth ([0-9]+)')" \
    "$(found ' ([0-9]+) states, stored')" "$file $*"
}

for argument in "$@"; do
  case $argument in
    --long) long=true ;;
    --changed) changed=true ;;
    --write) write=true ;;
    -*) say "unknown option: $argument" && exit 2 ;;
    *) wanted+=("$argument") ;;
  esac
done

for tool in spin gcc; do
  if ! command -v "$tool" >/dev/null; then
    say "$tool is missing; on Debian: apt-get install --no-install-recommends spin gcc libc6-dev"
    exit 1
  fi
done
if $write && { $changed || ((${#wanted[@]} > 0)); }; then
  say "--write runs everything: it does not go with --changed or the names of models"
  exit 2
fi
readonly checker="$(spin -V)"
# How lines are run and judged: this script down to here.
readonly method="$(sed '/^readonly checker=/,$d' "${BASH_SOURCE[0]}" | sha256sum)"
say "$checker"

readonly LEASE=(-DCLOCKS -DNODES=2)
readonly BOUND=(-DBOUNDS -DNODES=2)
readonly BOUND_3=(-DBOUNDS -DNODES=3 -DLIMIT=9 -DEPOCHS=3 -DNO_LATE)
readonly HAND_OVER=(-DHAND_OVERS -DNODES=2 -DATTEMPTS=1 -DEPOCHS=3)
readonly HAND_OVER_AGAIN=(-DHAND_OVERS -DNODES=2 -DATTEMPTS=2 -DEPOCHS=3 -DNO_RENEWALS)
readonly HAND_OVER_3=(-DHAND_OVERS -DNODES=3 -DATTEMPTS=1 -DEPOCHS=3 -DNO_LATE)
readonly UNPLANNED_READER=(-DUNPLANNED -DREADER -DEVICTION)
readonly UNPLANNED_RIVAL=(-DUNPLANNED -DRIVAL -DEVICTION)
readonly PLANNED_READER=(-DPLANNED -DREADER -DEVICTION)
readonly PLANNED_RIVAL=(-DPLANNED -DRIVAL -DEVICTION)

readonly BIRTH_ONCE=(-DNO_TAKEOVER -DFIRST=5)

readonly LATEST=(-DNO_COLLECTION)
readonly LATEST_COLLECTED=(-DNO_TAKEOVER)

readonly VOTES=(-DHASHES=2 -DEVICTION)
readonly CELLS=(-DHASHES=2 -DCELL)
readonly ERAS=(-DMOVES=2 -DSILENCE -DRESTART)
readonly ERAS_TWICE=("${ERAS[@]}" -DEVICTION -DPRIMARY_OWNS -DANY_KEYS)
readonly ERAS_TAKEOVER=(-DTAKEOVER -DMOVES=1)

say "models: they hold in every schedule"
model lease tenure.pml "${LEASE[@]}"
model lease-3 tenure.pml -DCLOCKS -DNODES=3 -DEPOCHS=3 -DNO_LATE
model bound tenure.pml "${BOUND[@]}" -DLIMIT=10
model bound-3 tenure.pml "${BOUND_3[@]}"
model hand-over tenure.pml "${HAND_OVER[@]}"
model hand-over-again tenure.pml "${HAND_OVER_AGAIN[@]}"
model hand-over-3 tenure.pml "${HAND_OVER_3[@]}" -DNO_RENEWALS
model unplanned-reader fence.pml "${UNPLANNED_READER[@]}"
model unplanned-rival fence.pml "${UNPLANNED_RIVAL[@]}"
model planned-reader fence.pml "${PLANNED_READER[@]}"
model planned-rival fence.pml "${PLANNED_RIVAL[@]}"
model birth-once birth.pml "${BIRTH_ONCE[@]}"
model deputy deputy.pml
model proofs proofs.pml
model schema schema.pml
model population population.pml
model latest latest.pml "${LATEST[@]}" -DFIRST=5 -DTICKS=6
model latest-collected latest.pml "${LATEST_COLLECTED[@]}"
model votes votes.pml "${VOTES[@]}" -DANY_KEYS
model eras votes.pml -DHASHES=2 -DMOVES=1 -DSILENCE -DRESTART -DEVICTION
model eras-twice votes.pml "${ERAS_TWICE[@]}"
model eras-takeover votes.pml "${ERAS_TAKEOVER[@]}" -DPRIMARY_OWNS -DEVICTION -DRESTART
model votes-3 votes.pml -DTRANSACTIONS=3 -DHASHES=2
model eras-3 votes.pml -DTRANSACTIONS=3 "${ERAS[@]}"
model takeover-3 votes.pml -DTRANSACTIONS=3 "${ERAS_TAKEOVER[@]}"
if $long; then
  MEMORY_MEGABYTES=10000
  TABLE_BITS=24
  model hand-over-2x2 tenure.pml -DHAND_OVERS -DNODES=2 -DATTEMPTS=2 -DEPOCHS=3
  model hand-over-renew tenure.pml "${HAND_OVER_3[@]}"
  model planned-all fence.pml -DPLANNED -DREADER -DRIVAL
  model unplanned-all fence.pml -DUNPLANNED -DREADER -DRIVAL
  model eras-2x2 votes.pml -DHASHES=2 "${ERAS[@]}" -DEVICTION
  model takeover-twice votes.pml -DTAKEOVER -DMOVES=2 -DSILENCE -DPRIMARY_OWNS
  model votes-3-evicted votes.pml -DTRANSACTIONS=3 "${VOTES[@]}"
  model votes-3-keys votes.pml -DTRANSACTIONS=3 -DHASHES=2 -DANY_KEYS
  model eras-3-evicted votes.pml -DTRANSACTIONS=3 "${ERAS[@]}" -DEVICTION
  model takeover-3-evicted votes.pml -DTRANSACTIONS=3 "${ERAS_TAKEOVER[@]}" -DEVICTION
fi

say "guards of which one is enough: they hold without the other"
model without-ack tenure.pml "${HAND_OVER[@]}" -DWITHOUT_ACKNOWLEDGEMENT
model half-transfer tenure.pml "${HAND_OVER[@]}" -DHALF_TRANSFER
model zombie-asked votes.pml -DMOVES=2 -DSILENCE -DEVICTION -DERA_KEPT
model primary-orders votes.pml -DMOVES=2 -DEVICTION -DPRIMARY_OWNS -DANY_KEYS -DPRIMARY_WITHOUT_LAST_READ
model own-unknown votes.pml "${VOTES[@]}" -DOWN_UNRECOGNIZED
model symmetric-keys votes.pml "${VOTES[@]}" -DREADS_ONLY
model floor-unchecked votes.pml "${ERAS_TAKEOVER[@]}" -DFLOOR_UNCHECKED
model dropped votes.pml "${ERAS[@]}" -DDROPPED

say "what must be possible, or the models would show nothing"
mutant R1 REACH_HAND_OVER tenure.pml "${HAND_OVER[@]}"
mutant R2 REACH_OLD_COMMIT fence.pml "${UNPLANNED_READER[@]}"
mutant R3 REACH_COMMIT_ACROSS fence.pml "${PLANNED_RIVAL[@]}"
mutant R4 REACH_STRANGER deputy.pml
mutant R5 REACH_TAKEOVER proofs.pml
mutant R6 REACH_JUDGMENT proofs.pml
mutant R7 REACH_UNKNOWING schema.pml
mutant R8 REACH_ADMITTED schema.pml
mutant R9 REACH_STRADDLER votes.pml -DMOVES=1
mutant R10 REACH_OVERLAP votes.pml "${VOTES[@]}"
mutant R11 REACH_BOTH_EPOCHS votes.pml "${ERAS_TAKEOVER[@]}"
mutant R12 REACH_ACROSS latest.pml "${LATEST[@]}"
mutant R13 REACH_LEFT population.pml
mutant R14 REACH_REFUSED population.pml

say "mistakes: the property that each breaks, and the shortest schedule"
mutant L1 NO_MARGIN tenure.pml "${LEASE[@]}"
mutant L2 NO_CHECK tenure.pml "${LEASE[@]}"
mutant L2 CHECK_BEFORE tenure.pml "${LEASE[@]}"
mutant L1 LEASE_FROM_REPLY tenure.pml "${LEASE[@]}"
mutant L1 LEASE_FROM_REREAD tenure.pml "${LEASE[@]}"
mutant L1 WALL_CLOCK_LEASE tenure.pml "${LEASE[@]}"
mutant T1 TWO_WRITES tenure.pml "${BOUND_3[@]}"
mutant T1 FIRST_FROM_WALL_CLOCK tenure.pml "${BOUND[@]}"
mutant T1 BOUND_IN_DOUBT tenure.pml "${BOUND[@]}"
mutant D1 FLOOR_STAYS tenure.pml "${HAND_OVER[@]}"
mutant D1 FOREIGN_TRANSFER tenure.pml "${HAND_OVER[@]}"
mutant D1 LEASE_OVER_IS_RELEASE tenure.pml "${HAND_OVER[@]}"
mutant D1 HALF_TRANSFER,WITHOUT_ACKNOWLEDGEMENT tenure.pml "${HAND_OVER[@]}"
mutant D1 STILL_DECIDING tenure.pml "${HAND_OVER[@]}"
mutant L2 SILENCE_FORGOTTEN tenure.pml "${HAND_OVER[@]}"
mutant L2 RESUME_IN_DOUBT tenure.pml "${HAND_OVER[@]}"
mutant D1 ID_REUSED tenure.pml "${HAND_OVER_AGAIN[@]}"
mutant S1 NO_FENCE fence.pml "${UNPLANNED_READER[@]}"
mutant S1 FENCE_ONCE fence.pml "${UNPLANNED_READER[@]}"
mutant F3 FLOOR_STAYS fence.pml "${UNPLANNED_RIVAL[@]}"
mutant S1 REGION_FORGETS fence.pml "${UNPLANNED_READER[@]}"
mutant S1 READ_WITHOUT_FLOOR fence.pml "${UNPLANNED_READER[@]}"
mutant S1 LEADER_READ_WITHOUT_FLOOR fence.pml "${UNPLANNED_READER[@]}"
mutant S1 STATUS_WITHOUT_SNAPSHOT fence.pml "${UNPLANNED_READER[@]}"
mutant O1 REFUSED_IS_ABORTED fence.pml "${UNPLANNED_READER[@]}"
mutant O1 FORGOTTEN_DECIDED_AGAIN fence.pml "${UNPLANNED_READER[@]}"
mutant F1 CONFLICTS_DROPPED fence.pml "${PLANNED_RIVAL[@]}"
mutant F1 WATERMARK_DROPPED fence.pml "${PLANNED_RIVAL[@]}"
mutant S1 DECISIONS_DROPPED fence.pml "${PLANNED_READER[@]}"
mutant F3 CONFLICTS_DROPPED,DECISIONS_DROPPED fence.pml "${PLANNED_RIVAL[@]}"
mutant S1 HORIZON_DROPPED fence.pml "${PLANNED_READER[@]}"
mutant F3 STILL_DECIDING fence.pml "${PLANNED_RIVAL[@]}"
mutant A1 ANY_OPENING birth.pml "${BIRTH_ONCE[@]}"
mutant A1 SUPERSEDED_FORGOTTEN birth.pml "${BIRTH_ONCE[@]}"
mutant A1 ID_IGNORED birth.pml "${BIRTH_ONCE[@]}"
mutant D2 NO_COMPARISON deputy.pml
mutant D2 LIST_IS_BELIEVED deputy.pml
mutant C1 CLOCK_AFTER_LOOK latest.pml "${LATEST[@]}"
mutant C1 BIRTHS_UNAWAITED latest.pml "${LATEST[@]}"
mutant C1 PENDING_PASSED latest.pml "${LATEST[@]}"
mutant C1 COLUMN_LEFT_OUT latest.pml "${LATEST[@]}"
mutant C1 ABOVE_CLOCK_IS_A_POINT latest.pml "${LATEST[@]}"
mutant C1 TICK_UNREAD latest.pml "${LATEST[@]}"
mutant C1 NO_SAFE_POINT latest.pml "${LATEST_COLLECTED[@]}"
mutant P1 VALIDATE_UNOWNED proofs.pml
mutant V3 FLUSH_UNOWNED proofs.pml
mutant P1 COMMIT_UNPROVED proofs.pml
mutant D2 FINISH_UNPROVED proofs.pml
mutant D2 HEAL_UNPROVED proofs.pml
mutant D2 HEAL_BY_ANY_FATE proofs.pml
mutant J1 JUDGMENT_UNPROVED proofs.pml
mutant D2 FATE_UNPROVED proofs.pml
mutant D2 FATE_FROM_PENDING proofs.pml
mutant D1 DECIDED_AGAIN proofs.pml
mutant I1 CATALOGUE_LAST schema.pml
mutant I1 FLOOR_AFTER_FENCE schema.pml
mutant I1 NOT_REOPENED schema.pml
mutant I1 MARK_WHEN_SENT schema.pml
mutant I1 LATE_UNCHECKED schema.pml
mutant I1 LATE_ONE_REGION_UNCHECKED schema.pml
mutant I1 FAST_UNCHECKED schema.pml
mutant I1 ONE_REGION_UNCHECKED schema.pml
mutant I1 FENCE_UNCHECKED schema.pml
mutant I2 UNCONDITIONAL population.pml -DNO_READER
mutant I2 INTENTS_PASSED population.pml -DNO_READER
mutant I2 BIRTH_UNSEEN population.pml -DNO_READER
mutant I3 NOT_FENCED population.pml
mutant I3 FENCE_FIRST population.pml
mutant Z1 NO_LAST_READ votes.pml "${VOTES[@]}"
mutant Z1 SNAPSHOT_WRITERS_PASS votes.pml "${VOTES[@]}"
mutant Z1 NO_LOW votes.pml "${VOTES[@]}"
mutant Z1 NO_READ_LOW votes.pml "${VOTES[@]}"
mutant F1 READS_ONLY votes.pml "${CELLS[@]}"
mutant Z1 OLD_NOT_ASKED votes.pml "${ERAS[@]}"
mutant Z1 NEW_NOT_ASKED votes.pml "${ERAS[@]}"
mutant Z1 STALE_MAP votes.pml "${ERAS[@]}"
mutant Z1 MEMORY_FIRST votes.pml "${ERAS[@]}"
mutant Z1 ERA_KEPT votes.pml "${ERAS[@]}"
mutant Z1 INCARNATION_IGNORED votes.pml "${ERAS[@]}"
mutant Z1 DROPPED_UNNOTICED votes.pml "${ERAS[@]}" -DDROPPED
mutant Z1 F_EARLIER votes.pml "${ERAS[@]}"
mutant Z1 F_NOT_ISSUED votes.pml "${ERAS[@]}" -DEVICTION
mutant Z1 FROM_HIGHEST votes.pml "${ERAS[@]}" -DEVICTION
mutant Z1 NO_FLOOR votes.pml "${ERAS_TAKEOVER[@]}"
mutant Z1 ERA_NOT_CUT votes.pml "${ERAS_TAKEOVER[@]}"
mutant Z1 BOUND_IGNORED votes.pml "${ERAS_TAKEOVER[@]}"
mutant Z1 VERSION_REUSED votes.pml "${ERAS_TAKEOVER[@]}"
mutant Z1 START_NOT_ISSUED votes.pml "${ERAS_TAKEOVER[@]}"

if ((${#wanted[@]} == 0)) && is_due "$models/../whole/whole.pml" "$(cat "$models/../whole/check.sh")"; then
  say "the whole protocol, a few actors at a time"
  options=()
  if $long; then
    options+=(--long)
  fi
  "$models/../whole/check.sh" "${options[@]}" || fail "whole.pml"
fi

if ((failures > 0)); then
  say "finished after ${SECONDS} s: ${failures} lines FAILED"
  exit 1
fi
if $write; then
  sort -u "$scratch/checked" >"$record"
fi
if ((unchanged > 0)); then
  say "${unchanged} lines are in checked.txt and were not run"
fi
say "finished after ${SECONDS} s: all as expected"
