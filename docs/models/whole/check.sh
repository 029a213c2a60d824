#!/usr/bin/env bash
# Checks whole.pml: every configuration must hold in every schedule, and every planted mistake must
# break the property that it should break. The search is breadth first, so the schedules are shortest.
# Usage: docs/models/whole/check.sh [--long] [--write] [CONFIGURATION...]
#   --long   also the larger configurations: 3 GB of memory, about 10 minutes
#   --write  writes RESULTS.md from what was found; not together with the names of configurations
set -euo pipefail

readonly MEMORY_MEGABYTES=3000

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
scratch="$(mktemp -d)"
readonly here scratch
trap 'rm -rf "$scratch"' EXIT

failures=0
long=false
write=false
wanted=()
name=

say() {
  printf '[models] %s\n' "$*"
}

fail() {
  say "FAILED: $*"
  failures=$((failures + 1))
}

# The number of a mistake or property in the model, and what its comment says.
number() {
  sed -n -E "s/^#define $1 ([0-9]+) .*/\\1/p" "$here/whole.pml"
}

meaning() {
  sed -n -E "s|^#define $1 [0-9]+ +/\\* (.*) \\*/\$|\\1|p" "$here/whole.pml"
}

property() {
  sed -n -E "s|^#define ([A-Z][0-9]) $1 .*|\\1|p" "$here/whole.pml"
}

# The first match of a pattern's group in the verifier's output.
found() {
  sed -n -E "s/.*$1.*/\\1/p" "$scratch/run/pan.log" | head -n 1
}

run() {
  (cd "$scratch/run" && MISTAKE=$1 ./pan -E -n >pan.log 2>&1) || true
}

is_complete() {
  [[ $(found 'errors: ([0-9]+)') == 0 ]] \
    && ! grep -q -i -E 'not completed|truncated|MEMLIM|aborting|out of memory' "$scratch/run/pan.log"
}

# configuration NAME FLAG...: holds in every schedule. The mistakes that follow are planted in it.
configuration() {
  name=$1
  shift
  if ((${#wanted[@]} > 0)) && [[ " ${wanted[*]} " != *" $name "* ]]; then
    name=
    return 0
  fi
  rm -rf "$scratch/run"
  mkdir "$scratch/run"
  local began=$SECONDS
  if ! (cd "$scratch/run" && spin -a "$@" "$here/whole.pml" >spin.log 2>&1 \
    && gcc -w -O1 -DSAFETY -DBFS -DVECTORSZ=512 "-DMEMLIM=$MEMORY_MEGABYTES" -o pan pan.c); then
    cat "$scratch/run/spin.log"
    fail "$name does not compile ($*)"
    name=
    return 0
  fi
  run 0
  if ! is_complete; then
    grep -v '^$' "$scratch/run/pan.log" | head -n 12
    fail "$name ($*)"
    return 0
  fi
  local states depth
  states=$(found ' ([0-9]+) states, stored')
  depth=$(found 'depth reached ([0-9]+)')
  printf '%-20s %9s states  depth %4s  %6s MB  %4s s  %s\n' "$name" "$states" "$depth" \
    "$(found ' ([0-9]+)\.?[0-9]*.total actual memory')" "$((SECONDS - began))" "$*"
  printf '| `%s` | `%s` | %s | %s |\n' "$name" "$*" "$states" "$depth" >>"$scratch/configurations"
}

# mistake NAME PROPERTY: planted in the configuration above, it breaks the property.
mistake() {
  [[ -n $name ]] || return 0
  local at states broken=
  run "$(number "$1")"
  at=$(found 'assertion violated \(broken!=([0-9]+)\)')
  [[ -n $at ]] && broken=$(property "$at")
  if [[ $broken != "$2" ]]; then
    fail "$1 breaks '${broken:-nothing}' in $name, not $2"
    return 0
  fi
  at=$(found 'at depth ([0-9]+)')
  states=$(found ' ([0-9]+) states, stored')
  printf '  %-30s %s  %4s steps  %9s states\n' "$1" "$broken" "$at" "$states"
  printf '| `%s` | %s | `%s` | %s | %s |\n' "$1" "$(meaning "$1")" "$name" "$broken" "$at" >>"$scratch/mistakes"
}

results() {
  echo '<!-- What docs/models/whole/check.sh has found; --write writes this page anew. -->'
  echo
  echo "# What has been explored of whole.pml"
  echo
  echo "$(spin -V). Breadth first and exhaustive; no state is left out, none is taken for another."
  echo
  echo '| configuration | flags | states | depth |'
  echo '|---|---|---|---|'
  cat "$scratch/configurations"
  echo
  echo 'Each mistake is planted in one configuration. Steps are those of the shortest schedule, the start of the processes among them.'
  echo
  echo '| mistake | | in | breaks | steps |'
  echo '|---|---|---|---|---|'
  cat "$scratch/mistakes"
}

for argument in "$@"; do
  case $argument in
    --long) long=true ;;
    --write) write=true ;;
    -*) say "unknown option: $argument" && exit 2 ;;
    *) wanted+=("$argument") ;;
  esac
done

configuration failover-fast -DFAILOVER -DWRITER -DFAST -DREADER -DREADS=1 -DFIRST=4 -DTICKS=4
mistake FENCE_ONCE S1
mistake LEADER_READ_WITHOUT_FLOOR S1
mistake STATUS_WITHOUT_SNAPSHOT S1

configuration failover-reader -DFAILOVER -DWRITER -DREADER -DTICKS=6
mistake REFUSED_IS_ABORTED O1

configuration commit-order -DWRITER -DFAST -DFAST_TWICE -DREADER -DREADS=1
mistake LEADER_WITHOUT_BUMP F1
mistake HEAL_WITHOUT_BUMP F1
mistake INTENTS_IGNORED F1
mistake BUMP_AFTER_READ S1
mistake READ_WITHOUT_WAITING S1
mistake MARK_IGNORED V2

configuration failover-move -DFAILOVER -DFAST -DREADER -DREADS=1 -DMOVES=1 -DASKS=1 -DTICKS=6
mistake DRAWS_BEFORE_TICK S1
mistake TICK_OF_BEFORE S1
mistake TICK_OF_ZOMBIE S1
mistake STALE_TICK S1

configuration one-region-calls -DONE_REGION -DMOVES=2
mistake ID_IGNORED A1
mistake SUPERSEDED_FORGOTTEN A1
mistake ANY_OPENING O1
mistake LOOKUP_FORGOTTEN O1
mistake REPETITION_ANY_OPENING O1

configuration one-region-zombie -DONE_REGION -DREADER -DREADS=1 -DMOVES=1 -DZOMBIE -DFIRST=4 -DTICKS=3
mistake ZOMBIES_ANSWER O1

configuration reader-zombie -DFAST -DREADER -DMOVES=1 -DZOMBIE -DFAILOVER -DTICKS=6 -DREADS=1
mistake ZOMBIES_ANSWER S1

configuration one-region-rival -DONE_REGION -DRIVAL -DRIVAL_PLACE=X -DREADER -DREADS=1 -DFIRST=5 -DTICKS=4
mistake CONFLICTS_IGNORED F1

configuration one-region-reads -DONE_REGION -DONE_REGION_READS -DSAME_REGION -DRIVAL -DFAST -DFAST_PLACE=Y -DASKS=1 -DFIRST=6
mistake ONE_REGION_READS_IGNORED Z1
mistake LOOKS_THEN_DRAWS Z1
mistake READ_INTENTS_IGNORED Z1

configuration one-region-reads-move -DONE_REGION -DONE_REGION_READS -DSAME_REGION -DFAST -DFAST_PLACE=Y -DMOVES=1 -DFIRST=6
mistake READ_IN_FLIGHT_IGNORED Z1

configuration freeze -DWRITER -DREADER -DREADS=1 -DSAFES=1 -DDUPLICATES -DHEALER -DFIRST=6
mistake FREEZES_BY_START S2
mistake LEADER_NOT_FINAL W1
mistake FINAL_BEFORE_HEALED W1
mistake ABORTED_DROPPED O1
mistake HEAL_IN_THE_BLIND W1
mistake ABSENT_NO_REREAD S2
mistake ABSENT_IS_ABORTED W1
mistake DUPLICATE_BELOW_SAFE_POINT O1
mistake PLANT_BELOW_SAFE_POINT O1
mistake SAFE_POINT_BEFORE_READ S2

configuration freeze-one-region -DRIVAL -DRIVAL_PLACE=X -DONE_REGION -DSAFES=1 -DFIRST=6
mistake ONE_REGION_BELOW_SAFE_POINT F1

configuration freeze-move -DRIVAL -DRIVAL_PLACE=X -DREADER -DREADS=1 -DSAFES=1 -DMOVES=1 -DFIRST=6
mistake REGION_FORGETS S2

configuration hold-failover -DFAILOVER -DHOLD -DRIVAL -DREADER -DREADS=1 -DSAFES=1 -DFIRST=4 -DTICKS=5
mistake HOLDS_FORGOTTEN H1
mistake HOLD_IGNORED H1

configuration scan -DSAME_REGION -DSCAN -DWRITER -DFAST -DFAST_TWICE -DREADER
mistake SCAN_WAITS_FOR_ROW S1

configuration savepoint -DSAVEPOINT -DWRITER -DREADER -DREADS=1 -DSAFES=1
mistake FLUSH_NUMBER_IGNORED S3
mistake ROLLBACK_NOT_AWAITED S3
mistake FREEZES_ROLLED_BACK S3

configuration serial-birth -DSERIAL -DRIVAL -DFAST -DREADER -DREADS=1 -DMOVES=1 -DFIRST=6
mistake LOOKS_THEN_BUMPS Z1
mistake CERTIFIES_WITHOUT_WAITING Z1
mistake CERTIFIES_AT_START Z1
mistake FINISHED_BY_READER Z1

configuration serial-zombie -DSERIAL -DRIVAL -DFAST -DMOVES=1 -DZOMBIE -DFIRST=6
mistake ZOMBIES_ANSWER Z1

configuration serial-skew -DSERIAL -DWRITER -DRIVAL -DFAST -DREADER -DREADS=1 -DFIRST=7
mistake READS_NOT_VALIDATED Z1
mistake CONDITION_IGNORED Z1
mistake ASSIGNED_IS_PASSED Z1

configuration serial-failover -DSERIAL -DFAILOVER -DRIVAL -DFAST -DREADER -DREADS=1 -DFIRST=5 -DTICKS=6
mistake FINISHED_BY_READER Z1
mistake ASSIGNED_IS_INVISIBLE S1
mistake STATUS_WITHOUT_SNAPSHOT S1

configuration range-birth -DSCANNER -DSAME_REGION -DFAST -DFAST_TWICE -DMOVES=1 -DFIRST=6
mistake LOOKS_THEN_BUMPS Z1
mistake CERTIFIES_WITHOUT_WAITING Z1
mistake CERTIFIES_AT_START Z1
mistake SCAN_WAITS_FOR_ROW Z1

configuration range-zombie -DSCANNER -DSAME_REGION -DFAST -DMOVES=1 -DZOMBIE -DFIRST=6
mistake ZOMBIES_ANSWER Z1

configuration range-freeze -DSCANNER -DWRITER -DSAFES=1 -DFIRST=6
mistake JUDGMENTS_KEPT Z1
mistake POINTERS_IGNORED Z1
mistake BIRTHS_ONLY Z1
mistake SAFE_POINT_BEFORE_READ Z1

configuration range-follower -DSCANNER -DFIRST_ROW=Y -DWRITER -DSAFES=1 -DFIRST=6
mistake POINTERS_NOT_REREAD Z1

configuration range-columns -DSCANNER -DCOLUMNS -DSAME_REGION -DWRITER -DRIVAL -DFIRST=8
mistake SEARCH_ENDS_EARLY Z1

configuration serial-phantom -DSERIAL -DRANGES -DWRITER -DRIVAL -DFIRST=6
mistake JUDGMENTS_KEPT Z1
mistake POINTERS_IGNORED Z1
mistake ASSIGNED_IS_INVISIBLE Z1
mistake CONDITION_IGNORED Z1

configuration cell -DCELL -DSAME_REGION -DWRITER -DRIVAL -DFAST -DFIRST=6
mistake CELL_WITHOUT_MARKS F1

configuration cell-fast -DCELL -DSAME_REGION -DWRITER -DFAST -DFAST_PLACE=Y -DREADER -DREADS=1
mistake WIDE_CHECKS_ONE_COLUMN F1

if $long; then
  configuration failover-fast-long -DFAILOVER -DWRITER -DFAST -DREADER -DTICKS=6
  configuration one-region-zombie-long -DONE_REGION -DREADER -DMOVES=1 -DZOMBIE -DTICKS=4
  configuration one-region-long -DONE_REGION -DRIVAL -DRIVAL_PLACE=X -DMOVES=2
  configuration range-long -DSCANNER -DWRITER -DRIVAL -DFAST -DFIRST=8
  configuration serial-phantom-long -DSERIAL -DRANGES -DWRITER -DRIVAL -DFAST -DMOVES=1 -DFIRST=7
  configuration freeze-fast-long -DWRITER -DFAST -DREADER -DSAFES=1 -DHEALER -DDUPLICATES
fi

if ((failures > 0)); then
  say "whole.pml: finished after ${SECONDS} s: ${failures} lines FAILED"
  exit 1
fi
if $write; then
  results >"$here/RESULTS.md"
fi
say "whole.pml: finished after ${SECONDS} s: all as expected"
