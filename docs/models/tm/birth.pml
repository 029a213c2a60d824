/*
 * What is committed at birth, together with everything that can happen to its surroundings: a transaction
 * manager that is superseded and does not know it, a region that moves away and back, a region server
 * that has lost its session and serves on, and attempts that are lost, doubled and late.
 *
 * Row x lies in a region that is at region server 0 or 1. An operation of the fast path changes x, once; its client
 * sends a first attempt, gives it up when it likes, and repeats it. TM 0 leads epoch 1 and answers for ever; TM 1
 * takes epoch 2 at any moment. Readers, other writers and one-region commits are in whole/whole.pml.
 *
 * A version is tick * TICK + local. Whoever stops is one that is not scheduled any more.
 */

#define TICK 4
#ifndef FIRST
#define FIRST 5        /* the first tick of epoch 2 */
#endif
#ifndef TICKS
#define TICKS 8        /* none is issued above it */
#endif
#ifndef MOVES
#define MOVES 2
#endif

/* How an attempt ended, as its server says. */
#define NOTHING 0
#define APPLIED 1
#define NOT_EXECUTED 2
#define OPENED_SINCE 3
#define SUPERSEDED 4

/* ---- Transaction managers ---- */

bit over;              /* epoch 2 has been taken */
byte last[2];          /* TimestampAllocator.last */

/* ---- The region of x ---- */

bit owner;             /* whose appends its log takes: RegionLog */
byte openings = 1;
byte moves;
bit expired;

/* ---- Region servers ---- */

bit serves[2];         /* believes that the region is here */
byte opening[2];
bit session[2];        /* SessionProof */
bit fresh[2];          /* RegionFence: has read the znode since the region was opened */
bit gate[2];           /* FastGate */
byte openTick[2];      /* RecentVersions.openedBelow */
byte clock[2];         /* LocalVersionClock */
byte floorKnown[2];    /* Fences */
byte epochKnown[2];
bit asked[2];          /* TickLedger: a request for a tick is under way */
byte askedTick[2];
byte askedOpening[2];
byte askedEpoch[2];
bit superseded[2];     /* SupersededOperations */

/* ---- The operation ---- */

byte fMark;
bit fUnder;            /* has drawn, and is not visible */
bit fServer;
byte fVersion;
byte fApplied;         /* how often */
bit fAt[2];            /* whether the server's store shows it */
byte attempt[2];       /* the first, the repetition: 0 not sent, 1 on its way, 2 gone */
bit attemptAt[2];
byte reply[2];
byte told;

/* Mistakes that are planted in the middle of a condition. */
#ifdef TICK_OF_BEFORE
#define ASKED_SINCE(s) true
#else
#define ASKED_SINCE(s) (askedOpening[s] == opening[s])
#endif
#ifdef TICK_OF_ZOMBIE
#define IN_CHARGE(s) true
#else
#define IN_CHARGE(s) (askedEpoch[s] >= epochKnown[s])
#endif
#ifdef DRAWS_BEFORE_TICK
#define MAY_DRAW(s) true
#else
#define MAY_DRAW(s) gate[s]
#endif

#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define FLOOR (over -> FIRST : 1)

/* ---- Time, places, ZooKeeper ---- */

inline opens(s) {
  owner = s;
  openings++;
  serves[s] = 1;
  opening[s] = openings;
  fresh[s] = 0;
  gate[s] = 0;
  openTick[s] = 0;
  fAt[s] = fApplied > 0;
#ifdef REGION_FORGETS
  fresh[s] = floorKnown[s] > 0;
#endif
}

proctype World() {
  byte s;
  do
#ifndef NO_TAKEOVER
  :: d_step { !over -> over = 1 }
#endif
  /* An orderly move: what is under way ends first. */
  :: d_step {
       moves < MOVES && serves[owner] && session[1 - owner] && !(fUnder && fServer == owner) ->
       moves++; serves[owner] = 0; s = 1 - owner; opens(s); s = 0
     }
  /* Its session is gone, and it does not know. */
  :: d_step {
       !expired && moves < MOVES && session[1 - owner] ->
       expired = 1; moves++; session[owner] = 0; s = 1 - owner; opens(s); s = 0
     }
  /* Fences.refresh */
  :: d_step { floorKnown[0] != FLOOR || !fresh[0] -> floorKnown[0] = FLOOR; epochKnown[0] = 1 + over; fresh[0] = 1 }
  :: d_step { floorKnown[1] != FLOOR || !fresh[1] -> floorKnown[1] = FLOOR; epochKnown[1] = 1 + over; fresh[1] = 1 }
  od
}

/* TickLedger and FastGate of one server: a tick is asked for, and is there some time later. */
proctype Ticks(bit s) {
  do
  :: d_step {
       !asked[s] && serves[s] && !gate[s] && last[0] < FIRST - 1 ->
       last[0]++; askedTick[s] = last[0]; askedEpoch[s] = 1; askedOpening[s] = opening[s]; asked[s] = 1
     }
  :: d_step {
       !asked[s] && serves[s] && !gate[s] && over && last[1] < TICKS ->
       last[1]++; askedTick[s] = last[1]; askedEpoch[s] = 2; askedOpening[s] = opening[s]; asked[s] = 1
     }
  :: d_step {
       asked[s] ->
       clock[s] = MAX(clock[s], askedTick[s] * TICK);
       if
       :: serves[s] && fresh[s] && !gate[s] && ASKED_SINCE(s) && IN_CHARGE(s) ->
          gate[s] = 1; openTick[s] = askedTick[s]
       :: else
       fi;
       asked[s] = 0; askedTick[s] = 0; askedOpening[s] = 0; askedEpoch[s] = 0
     }
  od
}

/* ---- The fast path: FastAttempt at the server ---- */

/* One attempt on its way; the second one is marked as a repetition. */
proctype Attempt(bit repeated) {
  bit s;
  do
  :: atomic {
       attempt[repeated] == 1 && !(fUnder && fServer == attemptAt[repeated]) ->
       s = attemptAt[repeated];
       if
       :: !(serves[s] && fresh[s] && MAY_DRAW(s)) -> reply[repeated] = NOT_EXECUTED
       :: serves[s] && fresh[s] && MAY_DRAW(s) ->
          if
#ifndef ID_IGNORED
          :: repeated && fAt[s] -> reply[1] = APPLIED; superseded[s] = 1
#endif
          :: !repeated && superseded[s] -> reply[0] = SUPERSEDED
#ifndef ANY_OPENING
          :: !repeated && !superseded[s] && fMark < openTick[s] -> reply[0] = OPENED_SINCE; told = openTick[s]
#endif
          :: else ->
             clock[s] = MAX(clock[s], fMark * TICK);
             if
             :: (clock[s] + 1) % TICK == 0 ->
                reply[repeated] = NOT_EXECUTED
             :: else ->
                clock[s]++;
                fVersion = clock[s];
                fUnder = 1;
                fServer = s;
#ifndef SUPERSEDED_FORGOTTEN
                if :: repeated -> superseded[s] = 1 :: else fi
#endif
             fi
          fi
       fi;
       attempt[repeated] = (fUnder && fServer == s && reply[repeated] == NOTHING -> 3 : 2)
     }
  /* It is in the log, and visible; or the log belongs to somebody else, and the server ends. */
  :: d_step {
       attempt[repeated] == 3 ->
       fUnder = 0;
       attempt[repeated] = 2;
       if
       :: owner == s && serves[s] ->
          fApplied++;
          assert(fApplied <= 1);                                        /* A1: an operation is applied once */
          fAt[s] = 1;
          reply[repeated] = APPLIED
       :: else -> serves[s] = 0
       fi
     }
  od
}

/* FastOperationInFlight: a first attempt, and a repetition once that one has been given up. */
proctype Operation() {
  bit s;
  /* What the session knows of: nothing, or a timestamp that it was given. */
  if
  :: skip
  :: d_step { last[0] < FIRST - 1 -> last[0]++; fMark = last[0] }
  :: d_step { over && last[1] < TICKS -> last[1]++; fMark = last[1] }
  fi;
  if :: s = 0 :: s = 1 fi;
  d_step { attemptAt[0] = s; attempt[0] = 1 }
#ifndef NO_REPETITION
  /* An opening that it had not heard of: the same attempt under a newer mark, once. */
  if
  :: d_step { reply[0] == OPENED_SINCE -> reply[0] = NOTHING; fMark = told; attemptAt[0] = s; attempt[0] = 1 }
  :: skip
  fi;
  /* Given up, whether it is on its way, under way, or applied. */
  atomic { attempt[0] != 0 && reply[0] != OPENED_SINCE -> attempt[1] = 0 }
  if :: s = 0 :: s = 1 fi;
  d_step { attemptAt[1] = s; attempt[1] = 1 }
  /* The repetition found nothing to do it with: it is sent once more. */
  if
  :: d_step { attempt[1] == 2 && reply[1] == NOT_EXECUTED -> reply[1] = NOTHING; attemptAt[1] = 1 - s; attempt[1] = 1 }
  :: skip
  fi;
#endif
  skip
}

init {
  d_step {
    last[1] = FIRST - 1;
    serves[0] = 1; opening[0] = 1; session[0] = 1; session[1] = 1;
    floorKnown[0] = 1; floorKnown[1] = 1;
    epochKnown[0] = 1; epochKnown[1] = 1
  }
  atomic {
    run World(); run Ticks(0); run Ticks(1); run Attempt(0); run Operation();
#ifndef NO_REPETITION
    run Attempt(1);
#endif
  }
}
