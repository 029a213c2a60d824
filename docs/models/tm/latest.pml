/*
 * Reads of a transaction without a snapshot (ADR 95): it gets two rows, and takes what it was shown for what all
 * snapshots of an interval show.
 *
 * Row 0 has columns a and b, row 1 has column a; each row has its region server. A transaction writes a in both rows,
 * leader in row 0; plain puts under a shared lock write a and b in row 0, committed at birth. TM 0 leads epoch 1 and
 * answers for ever; TM 1 takes epoch 2 at any moment. The safe point goes up at any moment; versions below it are
 * frozen, or tombstones, of which nothing is left: both look as if they had been there for ever. Resolving intents,
 * reading again at a snapshot, moves and sessions are in whole/whole.pml and birth.pml.
 *
 * A timestamp is tick * TICK, a version of a birth lies between two of them. Whoever stops is one that is not
 * scheduled any more.
 */

#define TICK 4
#ifndef FIRST
#define FIRST 4        /* the first tick of epoch 2 */
#endif
#ifndef TICKS
#define TICKS 5        /* none is issued above it */
#endif

/* Cells: column a of row 0, of row 1, and column b of row 0. */
#define CELLS 3
#define SERVER(c) ((c) == 1 -> 1 : 0)

/* What is stored of the transaction in a row, and what a cell shows. */
#define ABSENT 0
#define PENDING 1
#define COMMITTED 2
#define OLD 0
#define WRITTEN 1
#define BORN 2

#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))

/* ---- Transaction managers ---- */

bit over;              /* epoch 2 has been taken */
byte last[2];          /* TimestampAllocator.last, in ticks */
byte safe;             /* the safe point */

/* ---- Region servers ---- */

byte clock[2];         /* LocalVersionClock */
bit superseded[2];     /* Fences: has read the record of epoch 2 */
byte safeKnown[2];

/* ---- Cells ---- */

byte state[2];         /* of the transaction, by row */
byte start;
byte commit;           /* as TM has said */
bit decided;           /* the leader is COMMITTED */
bit drawn[CELLS];      /* births: InFlightWrites */
bit visible[CELLS];
byte version[CELLS];
bit frozen[2];         /* the transaction's version in a row */
bit frozenBirth[CELLS];

/* ---- The reader ---- */

byte shown[CELLS];
byte lowest;
byte highest = 255;
byte looked;           /* rows */
bit gaveUp;            /* it takes a snapshot */

/* Nothing else matters afterwards. */
#define READING (looked < 2 && !gaveUp)

/* Mistakes that are planted in the middle of a condition. */
#ifdef TICK_UNREAD
#define MAY_TAKE(s) true
#else
#define MAY_TAKE(s) superseded[s]
#endif
#ifdef BIRTHS_UNAWAITED
#define IS_CLEAR(c, w) true
#else
#define IS_CLEAR(c, w) (!drawn[c] || visible[c] || version[c] > w)
#endif
#ifdef COLUMN_LEFT_OUT
#define IS_LEFT_OUT(c) ((c) == 2)
#else
#define IS_LEFT_OUT(c) false
#endif
#ifdef PENDING_PASSED
#define IS_IN_THE_WAY(r) false
#else
#define IS_IN_THE_WAY(r) (state[r] == PENDING)
#endif

/* What the commits up to x leave in a cell: an observer knows them all. */
#define HAS_WRITTEN(c, x) ((c) != 2 && decided && commit <= (x))
#define IS_BORN(c, x) (visible[c] && version[c] <= (x))
#define EXPECTED(c, x) (IS_BORN(c, x) && !(HAS_WRITTEN(c, x) && commit > version[c]) -> BORN : (HAS_WRITTEN(c, x) -> WRITTEN : OLD))
#define STANDS(c) (EXPECTED(c, lowest) == shown[c] && EXPECTED(c, highest) == shown[c])

/* After each commit, and when the reader has its interval. */
inline check() {
  if
  :: looked == 2 && !gaveUp ->
     assert(STANDS(0) && STANDS(1) && STANDS(2))       /* C1: every snapshot of the interval shows what was shown */
  :: else
  fi
}

proctype World() {
  do
#ifndef NO_TAKEOVER
  :: d_step { READING && !over -> over = 1 }
#endif
#ifndef NO_COLLECTION
  :: d_step { READING && safe < last[over] * TICK -> safe = last[over] * TICK }
#endif
  od
}

/* TimestampBatches, Fences and the collector of one server. */
proctype Server(bit s) {
  do
  :: d_step { READING && last[0] < FIRST - 1 -> last[0]++; clock[s] = MAX(clock[s], last[0] * TICK) }
  :: d_step { READING && over && last[1] < TICKS && MAY_TAKE(s) -> last[1]++; clock[s] = MAX(clock[s], last[1] * TICK) }
  :: d_step { !gaveUp && over && !superseded[s] -> superseded[s] = 1 }
#ifndef NO_COLLECTION
  :: d_step { READING && safeKnown[s] < safe -> safeKnown[s] = safe }
  :: d_step { READING && state[s] == COMMITTED && !frozen[s] && commit < safeKnown[s] -> frozen[s] = 1 }
  :: d_step { READING && s == 0 && visible[0] && !frozenBirth[0] && version[0] < safeKnown[0] -> frozenBirth[0] = 1 }
  :: d_step { READING && s == 0 && visible[2] && !frozenBirth[2] && version[2] < safeKnown[0] -> frozenBirth[2] = 1 }
#endif
  od
}

/* A plain put in row 0. */
proctype Birth(byte c) {
  d_step {
    !gaveUp && state[0] != PENDING && clock[0] % TICK < TICK - 1 ->
    clock[0]++; version[c] = clock[0]; drawn[c] = 1
  }
  d_step { !gaveUp -> visible[c] = 1; check() }
}

inline flush(r) {
  d_step {
    !gaveUp && !(superseded[r] && start < FIRST * TICK) &&
    (r == 1 || (drawn[0] == visible[0] && drawn[2] == visible[2] && version[0] < start && version[2] < start)) ->
    state[r] = PENDING
  }
}

proctype Writer() {
  if
  :: d_step { last[0] < FIRST - 1 -> last[0]++; start = last[0] * TICK }
  :: d_step { over && last[1] < TICKS -> last[1]++; start = last[1] * TICK }
  fi;
  if
  :: flush(0); flush(1)
  :: flush(1); flush(0)
  fi;
  /* TM 0 does not know that it is superseded. */
  if
  :: d_step { !gaveUp && start < FIRST * TICK && last[0] < FIRST - 1 -> last[0]++; commit = last[0] * TICK }
  :: d_step { !gaveUp && start >= FIRST * TICK && last[1] < TICKS -> last[1]++; commit = last[1] * TICK }
  fi;
  d_step { !gaveUp -> clock[0] = MAX(clock[0], commit); state[0] = COMMITTED; decided = 1; check() }
  d_step { READING -> clock[1] = MAX(clock[1], commit); state[1] = COMMITTED }
}

/* FamilyView and LatestView: the newest version of a cell, and its commit timestamp. */
inline look(c, r) {
  if
  :: visible[c] && !(c != 2 && state[r] == COMMITTED && start > version[c]) ->
     shown[c] = BORN; v = MAX(v, (frozenBirth[c] || IS_LEFT_OUT(c) -> 0 : version[c]))
  :: else ->
     if
     :: c != 2 && state[r] == COMMITTED -> shown[c] = WRITTEN; v = MAX(v, (frozen[r] -> 0 : commit))
     :: else -> shown[c] = OLD
     fi
  fi
}

/* FastReading.readInterval at the servers, LatestReads at the client. */
proctype Latest() {
  bit r;
  byte w, v;
  if :: r = 0 :: r = 1 fi;
  do
  :: looked < 2 && !gaveUp ->
     v = 0;
#ifndef CLOCK_AFTER_LOOK
     w = clock[r];
#else
     w = 255;
#endif
     d_step {
       IS_IN_THE_WAY(r) || r == 1 || (IS_CLEAR(0, w) && IS_CLEAR(2, w)) ->
       if
       :: IS_IN_THE_WAY(r) -> gaveUp = 1
       :: else ->
          if
          :: r == 0 -> look(0, 0); look(2, 0)
          :: else -> look(1, 1)
          fi
       fi
     }
#ifdef CLOCK_AFTER_LOOK
     w = clock[r];
#endif
     d_step {
#ifndef NO_SAFE_POINT
       v = MAX(v, safeKnown[r]);
#endif
#ifdef ABOVE_CLOCK_IS_A_POINT
       w = MAX(w, v);
#endif
       lowest = MAX(lowest, v);
       highest = MIN(highest, w);
       if :: lowest > highest -> gaveUp = 1 :: else fi;
       looked++;
       r = 1 - r;
       check();
       v = 0; w = 0
     }
#ifdef REACH_ACROSS
     assert(!(looked == 2 && !gaveUp && shown[1] == WRITTEN && shown[2] == BORN && lowest >= FIRST * TICK))  /* R12: read across a takeover */
#endif
  :: else -> break
  od
}

init {
  d_step {
    last[0] = 1; last[1] = FIRST - 1;
    clock[0] = TICK; clock[1] = TICK
  }
  atomic {
    run World(); run Server(0); run Server(1); run Writer(); run Birth(0); run Birth(2); run Latest()
  }
}
