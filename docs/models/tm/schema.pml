/*
 * An index that is added to a table while others write it (docs/protocol/fast-path.md, "Schema
 * floor"). A writer looks up the indexes once, and writes what it has found there. The index is
 * filled at a snapshot that begins when all has been done that keeps out writers that do not know
 * it.
 *
 * There is one writer, of any kind: writers do not influence each other.
 *   REGULAR     begins, looks up, is validated by the transaction manager
 *   ONE_REGION  begins, looks up, is admitted by its region; if refused, it goes on as REGULAR
 *   FAST        knows a timestamp, looks up, is admitted by its region
 *   LATE        knows a timestamp, looks up, begins, perhaps much later, as one that writes by an old
 *               copy of the catalogue does; names what it knew to its region; goes on as REGULAR
 *   LATE_ONE_REGION  the same, admitted by its region; if refused for its start, goes on as LATE
 *
 * Timestamps are issued one by one; a timestamp that is known may be any that was issued before.
 * Left out: rows (all write the same one, and none conflicts), aborts, failures: a region that has
 * moved has the floor of the descriptor that it was opened with, as one that was reopened has.
 */

mtype = { REGULAR, ONE_REGION, FAST, LATE, LATE_ONE_REGION };

#define REGIONS 2

byte clock = 1;       /* the last timestamp that was issued */
bool catalogue;       /* whether the index is in the catalogue */
byte descriptor;      /* schema floor in the table's descriptor */
byte opened[REGIONS]; /* schema floor that a region was opened with */
byte recorded;        /* timestamp at which the fence was recorded; 0 = not yet */
byte filled;          /* snapshot at which the index is filled; 0 = not yet */

inline issue(variable) {
  clock++;
  variable = clock
}

inline commit() {
  assert(knows || filled == 0); /* I1: what was written without the index is found when it is filled */
#ifdef REACH_UNKNOWING
  assert(knows || kind != LATE); /* R7: a writer that does not know the index may commit before it is filled */
#endif
#ifdef REACH_ADMITTED
  assert(!(kind == FAST && filled > 0)); /* R8: a region admits writers that know the index */
#endif
}

active proctype creator() {
  byte floor, region, ended;
#ifndef CATALOGUE_LAST
  catalogue = true;
#endif
  atomic { issue(floor) }
#ifdef FLOOR_AFTER_FENCE
  atomic { issue(recorded) }
#endif
  descriptor = floor;
#ifndef NOT_REOPENED
  do
  :: region < REGIONS -> opened[region] = descriptor; region++
  :: else -> break
  od;
#endif
#ifndef FLOOR_AFTER_FENCE
  atomic { issue(recorded) }
#endif
#ifdef CATALOGUE_LAST
  catalogue = true;
#endif
  atomic { issue(filled) }
}

proctype writer(mtype kind) {
  byte known, start, region;
  bool knows;
  if
  :: kind == REGULAR || kind == ONE_REGION -> atomic { issue(start) }
  :: else -> atomic {
       known = clock;
       do /* what this session knows may be old */
       :: known > 1 -> known--
       :: break
       od
     }
  fi;
  atomic { knows = catalogue }
#ifdef MARK_WHEN_SENT
  known = clock;
#endif
  if
  :: region = 0
  :: region = 1
  fi;
  if
  :: kind == LATE || kind == LATE_ONE_REGION -> atomic { issue(start) }
  :: else
  fi;
  if
  :: kind == LATE_ONE_REGION -> atomic {
       if
#ifndef LATE_ONE_REGION_UNCHECKED
       :: known < opened[region] -> goto end
#endif
       :: start < opened[region]
       :: else -> clock++; commit(); goto end
       fi
     }
  :: else
  fi;
  if
  :: kind == LATE || kind == LATE_ONE_REGION -> atomic { /* its writes; then it is validated */
       if
#ifndef LATE_UNCHECKED
       :: known < opened[region] -> goto end
#endif
       :: else
       fi
     }
  :: else
  fi;
  if
  :: kind == FAST -> atomic {
       if
#ifndef FAST_UNCHECKED
       :: known < opened[region] -> goto end
#endif
       :: else -> clock++; commit(); goto end
       fi
     }
  :: kind == ONE_REGION -> atomic {
       if
#ifndef ONE_REGION_UNCHECKED
       :: start < opened[region]
#endif
       :: else -> clock++; commit(); goto end
       fi
     }
  :: kind == REGULAR || kind == LATE || kind == LATE_ONE_REGION
  fi;
  atomic {
    if
#ifndef FENCE_UNCHECKED
    :: recorded > start
#endif
    :: else -> clock++; commit()
    fi
  }
end:
  skip
}

init {
  if
  :: run writer(REGULAR)
  :: run writer(ONE_REGION)
  :: run writer(FAST)
  :: run writer(LATE)
  :: run writer(LATE_ONE_REGION)
  fi
}
