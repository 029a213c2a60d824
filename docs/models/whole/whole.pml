/*
 * The whole protocol (docs/protocol.md), a few actors at a time: what is never explored together hides
 * holes at the seams. Which actors take part is said by flags; check.sh has the configurations.
 *
 *   WRITER      T, a regular transaction, writes X and Y; its leader is X
 *   RIVAL       U, a second one, writes Y
 *   ONE_REGION  O, a transaction that commits in one region: it writes X, or X and Y (ONE_REGION_BOTH);
 *               attempts are lost, doubled and late; with ONE_REGION_READS it is SERIALIZABLE, and has
 *               read Y, in the region of X
 *   FAST        F, and FAST_TWICE also G after it, operations of the fast path of one session
 *   READER      R reads any row READS times at one snapshot; with SCAN it reads both with one scanner
 *   FAILOVER    TM 1 takes the epoch at any moment, unplanned; TM 0 goes on answering for ever
 *   MOVES       how often the region of X opens elsewhere; ZOMBIE: once without its old server knowing it
 *   SAFES       how often the safe point is raised; HOLD: R holds its snapshot
 *   HEALER      settles what T leaves behind
 *   DUPLICATES  T's flushes arrive a second time, at any later moment
 *   SAVEPOINT   T flushes X three times: a value, a newer one after a savepoint, the savepoint's end
 *   SAME_REGION Y lies in the region of X
 *   CELL        X and Y are two columns of one row at level CELL; T deletes the family
 *   SERIAL      T and U are SERIALIZABLE: each writes one row and has read the other one, as a point, or,
 *               with RANGES, as a range
 *   SCANNER     S, a SERIALIZABLE transaction, scans X and Y, or from FIRST_ROW on, and writes a row that
 *               concerns nobody else
 *   COLUMNS     X and Y are two columns of one row at level CELL; T writes X only
 *
 * Whoever stops is one that is not scheduled any more; what is lost is what is not taken. A timestamp is
 * tick * TICK + local; locals 2 and 3 are committed at birth.
 *
 * A planted mistake is a number: -DMISTAKE=n, or, in a verifier compiled without it, the environment
 * variable MISTAKE, so that one compilation serves all mistakes of a configuration.
 */

#ifdef MISTAKE
#define PLANTED(n) (MISTAKE == n)
#else
c_decl { \#include <stdlib.h>
extern int mistake; };
c_code { int mistake; };
#define PLANTED(n) c_expr { mistake == n }
#endif

/* The mistakes. */
#define FENCE_ONCE 1               /* a flush looks at the floor before it is visible only [M1] */
#define REGION_FORGETS 2           /* an opened region serves before its server has read the znode [M2, M12] */
#define LEADER_READ_WITHOUT_FLOOR 3 /* [M3] */
#define REFUSED_IS_ABORTED 4       /* a refusal of the TM is taken for an abort [M4] */
#define STATUS_WITHOUT_SNAPSHOT 5  /* a superseded TM answers on behalf of a newer epoch [M14] */
#define ABSENT_NO_REREAD 6         /* leader absent, and the row is not read again [M6] */
#define DUPLICATE_BELOW_SAFE_POINT 7 /* a late flush is carried out below the safe point [M7] */
#define PLANT_BELOW_SAFE_POINT 8   /* [M10] */
#define LEADER_WITHOUT_BUMP 9      /* the commit of a leader does not raise the clock [H1] */
#define HEAL_WITHOUT_BUMP 10       /* [H1] */
#define BUMP_AFTER_READ 11         /* a read raises the clock after it has read */
#define READ_WITHOUT_WAITING 12    /* it does not wait for writes in flight [E1] */
#define SCAN_WAITS_FOR_ROW 13      /* a scan waits for writes in flight on its first row only [E1] */
#define DRAWS_BEFORE_TICK 14       /* an opened region draws before it has a tick [H3] */
#define TICK_OF_BEFORE 15          /* it takes one that was asked for before it was opened [H4] */
#define TICK_OF_ZOMBIE 16          /* or one of a superseded TM [H10] */
#define INTENTS_IGNORED 17         /* a fast write does not look for intents */
#define CONFLICTS_IGNORED 18       /* a one-region commit does not look for commits since its start */
#define ID_IGNORED 19              /* a repetition does not look for its id [E4] */
#define SUPERSEDED_FORGOTTEN 20    /* a server forgets that an operation was repeated [E4] */
#define ANY_OPENING 21             /* a first attempt is carried out by an opening unknown to its session [E4] */
#define LOOKUP_FORGOTTEN 22        /* a look-up that found nothing does not stop later attempts [E4] */
#define REPETITION_ANY_OPENING 23  /* a repetition is carried out by an opening unknown to its session [E4] */
#define ONE_REGION_BELOW_SAFE_POINT 24 /* [H7] */
#define ZOMBIES_ANSWER 25          /* a server answers without a proof of its session [H11] */
#define SAFE_POINT_BEFORE_READ 26  /* it is looked at before the read, not after [H6] */
#define HOLDS_FORGOTTEN 27         /* a new TM does not wait for the holds of its predecessor [R8] */
#define HOLD_IGNORED 28            /* the safe point rises above a hold */
#define FREEZES_BY_START 29        /* freezing looks at the start timestamp [H8] */
#define LEADER_NOT_FINAL 30        /* a committed leader is collected before its followers are healed (A7) */
#define FINAL_BEFORE_HEALED 31     /* a leader is FINAL before its followers are healed */
#define ABORTED_DROPPED 32         /* an ABORTED leader goes while its start is above the safe point [M7] */
#define HEAL_IN_THE_BLIND 33       /* a late heal is a put, not a compare-and-set */
#define FLUSH_NUMBER_IGNORED 34    /* [R1] */
#define ROLLBACK_NOT_AWAITED 35    /* the commit is requested before the savepoint's end is flushed [R2] */
#define FREEZES_ROLLED_BACK 36     /* freezing keeps what was rolled back */
#define CELL_WITHOUT_MARKS 37      /* a family delete and a put under it share no hash [R3] */
#define WIDE_CHECKS_ONE_COLUMN 38  /* a family delete checks one of its columns only */
#define MARK_IGNORED 39            /* a session's mark does not raise the clock */
#define ABSENT_IS_ABORTED 40       /* an absent leader: the follower is aborted (A4) */
#define STALE_TICK 41              /* a tick below the clock is assigned [H4] */
#define LOOKS_THEN_BUMPS 42        /* a certification raises the clock after it has looked [Z4] */
#define CERTIFIES_WITHOUT_WAITING 43 /* it does not wait for writes in flight [Z3] */
#define CERTIFIES_AT_START 44      /* it asks for the state at the start timestamp */
#define FINISHED_BY_READER 45      /* a reader commits the leader of an assigned transaction [Z1] */
#define ASSIGNED_IS_PASSED 46      /* the TM answers a question for an assigned transaction with "passed" [Z2] */
#define ASSIGNED_IS_INVISIBLE 47   /* a reader above the commit timestamp passes over an assigned transaction */
#define READS_NOT_VALIDATED 48     /* the TM checks what is written only [Z7] */
#define CONDITION_IGNORED 49       /* the TM passes a conditional request, so nothing is certified */
#define JUDGMENTS_KEPT 50          /* the certification of a range begins with the judgments of the scan [Z31] */
#define POINTERS_IGNORED 51        /* it passes over undecided intents */
#define POINTERS_NOT_REREAD 52     /* a row whose intent has been resolved is not looked at again [M6] */
#define BIRTHS_ONLY 53             /* it looks for births only, as that of a point does */
#define SEARCH_ENDS_EARLY 54       /* at level CELL a search ends at the first commit below the start [Z35] */
#define ONE_REGION_READS_IGNORED 55 /* a one-region commit does not look at what it has read */
#define LOOKS_THEN_DRAWS 56        /* it looks before it draws its version */
#define READ_IN_FLIGHT_IGNORED 57  /* it passes over writes in flight on what it has read [E1] */
#define READ_INTENTS_IGNORED 58    /* it passes over intents there [Z10] */

#define TICK 4
#ifndef FIRST
#define FIRST 5                    /* the first tick of epoch 2 */
#endif
#ifndef TICKS
#define TICKS 8                    /* none is issued above it */
#endif
#ifndef MOVES
#define MOVES 0
#endif
#ifndef SAFES
#define SAFES 0
#endif
#ifndef READS
#define READS 2
#endif
#ifndef ASKS
#define ASKS 0                     /* ticks asked for ahead of need */
#endif

#define X 0
#define Y 1

/* Actors; the first two are regular transactions. */
#define T 0
#define U 1
#define O 2
#define F 3
#define G 4
#define ACTORS 5

/* A cell, as its region stores it. ARRIVED is past the checks under the lock, and not visible. GONE is ABSENT to all but us. */
#define ABSENT 0
#define ARRIVED 1
#define PENDING 2
#define COMMITTED 3
#define FINAL 4
#define ABORTED 5
#define FROZEN 6                   /* rewritten as committed at birth; its transaction cell is gone */
#define BIRTH 7
#define GONE 8

/* Properties. */
#define S1 1                       /* a snapshot is stable: what commits below it was there when it was read */
#define S2 2                       /* a read is what the order of commits says */
#define S3 3                       /* what was rolled back to a savepoint is never seen */
#define F1 4                       /* of two that overlap and write the same, one commits */
#define V1 5                       /* the order of versions is the order of commits */
#define V2 6                       /* what a session writes comes after all that it knows of */
#define D1 7                       /* decided once */
#define O1 8                       /* an outcome that was told is the outcome */
#define A1 9                       /* an operation is applied once */
#define N1 10                      /* a snapshot includes what was acknowledged before it began */
#define H1 11                      /* a snapshot that is held is readable */
#define W1 12                      /* nothing of what committed is aborted */
#define Z1 13                      /* what a serializable transaction has read is what a snapshot at its commit timestamp reads */

#ifndef FAST_PLACE
#define FAST_PLACE X
#endif
#ifndef RIVAL_PLACE
#define RIVAL_PLACE Y
#endif
#ifdef ONE_REGION_BOTH
#define O_WRITES(p) 1
#else
#define O_WRITES(p) (p == X)
#endif
#if defined(SERIAL) || defined(COLUMNS)
#define T_WRITES(p) (p == X)
#else
#define T_WRITES(p) 1
#endif
#if defined(SCANNER) || defined(RANGES)
#define CERTIFIES_RANGES
#endif
#define S ACTORS                   /* has no cells at X and Y */
#ifndef FIRST_ROW
#define FIRST_ROW X
#endif
#ifdef COLUMNS
#define LAST_ROW X
#else
#define LAST_ROW Y
#endif
#define writes(a, p) \
  ((a == T && T_WRITES(p)) || (a == U && p == RIVAL_PLACE) || (a == O && O_WRITES(p)) || \
   (a == F && p == FAST_PLACE) || (a == G && p == 1 - FAST_PLACE))
#define readPlace(a) (1 - leaderOf(a)) /* of a serializable transaction */
#define share(a, b) ((writes(a, X) && writes(b, X)) || (writes(a, Y) && writes(b, Y)))
#define leaderOf(a) ((a) == T -> X : RIVAL_PLACE)
#define snapshots(a) (a <= O)      /* it has a start timestamp */
#define MAX(a, b) ((a) > (b) -> (a) : (b))

byte broken;                       /* the property that was broken */
#define HOLDS(property, condition) \
  if \
  :: (condition) \
  :: else -> broken = property; assert(broken != property) \
  fi

/* ---- Transaction managers and znode ---- */

bit over;                          /* epoch 2 has been taken */
byte last[2];                      /* TimestampAllocator.last, a tick */
byte zSafe;
byte decidedSafe[2];               /* what it has decided to publish */
byte raises;
bit held[2];                       /* HoldTable */
bit holdOver;                      /* its lifetime is over */
byte recorded[8];                  /* ConflictTable, by TM * 4 + hash: X, Y, DEL, ANY */
byte decision[4];                  /* DecisionMemory, by TM * 2 + actor */
bit sent[4];                       /* by TM * 2 + actor */
#define UNDECIDED 0
#define PASSED 1
#define CONFLICT 2
#define REFUSED 3
#define ASSIGNED 4                 /* it commits at its commit timestamp or not at all, by its own client */
#define DEL 2
#define ANY 3

#define FLOOR (over -> FIRST * TICK : 0)
#define issues(n) ((n == 0 && last[0] < FIRST - 1) || (n == 1 && over && last[1] < TICKS))
#define bound(n) (n == 0 -> FIRST * TICK : 255)
#define floorOf(n) (n == 0 -> 0 : FIRST * TICK)

/* ---- Regions and region servers ---- */

bit place;                         /* whose appends the log of X's region takes */
byte moves;
bit fresh = 1;                     /* its server has read the znode since it opened: RegionFence */
bit gate = 1;                      /* FastGate of X's region */
byte openTick;                     /* RecentVersions.openedBelow */
bit zombie;                        /* server 0 has lost its session and goes on serving X's region */
byte stale[10];                    /* what it has there */
bit staleGate;
byte staleOpenTick;
byte floorKnown[2];                /* Fences */
byte safeKnown[2];
byte clock[2];                     /* LocalVersionClock */
bit asked[2];                      /* TickLedger: a request is under way */
byte askedTick[2];
bit askedSince[2];                 /* after the opening */
bit askedOne[2];                   /* of TM 1 */
byte asks;
byte superseded[2];                /* SupersededOperations, of O, by server */
#define REPEATED 1
#define LOOKED_UP 2

#ifdef SAME_REGION
#define inMoving(p) 1
#else
#define inMoving(p) (p == X)
#endif
#define host(p) (inMoving(p) -> place : 1)
#define ready(p) (!inMoving(p) || fresh || PLANTED(REGION_FORGETS))
#define mayDraw(p) (!inMoving(p) || gate || PLANTED(DRAWS_BEFORE_TICK))

/* ---- Transactions and operations ---- */

byte cell[10];                     /* by actor * 2 + place */
byte start[3];
byte floorTold[3];
byte version[5];                   /* of its cells: the start timestamp, or what was drawn */
byte commitAt[5];                  /* set when it is committed, for everybody to see */
byte decidedAt[2];                 /* what a TM decided */
byte answer[2];                    /* of the TM, not looked at yet */
bit knowsCommitted[2];             /* somebody knows that its leader is committed, and will heal */
bit knowsAborted[2];
byte flight[5];                    /* InFlightWrites: 0, or 1 + server */
byte flushed;                      /* SAVEPOINT: the newest flush that T's cell at X carries */
bit second;                        /* it has the value of the second flush */
bit rolledBack;                    /* and says that that does not count */
bit rollsBack;                     /* T has rolled back, and has not committed yet */
bit told[5];                       /* told committed */
bit toldNot[5];                    /* told aborted, or never applied */

/* ---- O: two attempts and a look-up, each on its way to a server ---- */

byte attempt[3];                   /* 0 not sent, 1 on its way, 2 executed, 3 in flight, 4 in flight in vain */
bit attemptAt[3];
byte attemptKnows[3];              /* the mark that it was sent with */
byte reply[3];
byte oTold;                        /* an opening's tick that the session has been told of */
bit oLooked;                       /* ONE_REGION_READS: what it has read is unchanged up to its version */

/* ---- Readers ---- */

#define INVISIBLE 1
#define SEEN 2
byte rSnapshot;
bit rNewest;                       /* begun at TM 1 */
byte judged[2];
byte got[2];                       /* by place: 1 + actor + 1, or 1 for nothing */
bit isHolding;
byte val;                          /* what it has just read: actor + 1, or 0 */

#define committedState(c) (c == COMMITTED || c == FINAL)
#define shownBelow(c, a, q) \
  ((c == BIRTH && version[a] < q) || (c == FROZEN && version[a] + 2 < q) || \
   (committedState(c) && commitAt[a] < q))
#define shownCommit(c, a) (c == BIRTH -> version[a] : (c == FROZEN -> version[a] + 2 : commitAt[a]))
#define shownVersion(c, a) (c == FROZEN -> version[a] + 2 : version[a])
#define isCommitted(c) (committedState(c) || c == FROZEN || c == BIRTH)

/* A commit above q at place p, as the region has stored it. */
#define newer(c, a, q) (isCommitted(c) && shownCommit(c, a) > q)
#define overwritten(p, q) \
  (newer(cell[0 + p], 0, q) || newer(cell[2 + p], 1, q) || newer(cell[4 + p], 2, q) || \
   newer(cell[6 + p], 3, q) || newer(cell[8 + p], 4, q))
#define intentAt(p) (cell[0 + p] == PENDING || cell[2 + p] == PENDING)
#define arriving(p) (cell[0 + p] == ARRIVED || cell[2 + p] == ARRIVED)
#define flying(a, p) (flight[a] != 0 && writes(a, p))
/* The exclusive lock; at level CELL the row is one. */
#ifdef CELL
#define locked(p) (flying(O, X) || flying(O, Y) || flying(F, X) || flying(F, Y) || flying(G, X) || flying(G, Y) || \
                   arriving(X) || arriving(Y))
#else
#define locked(p) (flying(O, p) || flying(F, p) || flying(G, p) || arriving(p))
#endif

/* What a snapshot q has to see at p: 1 + actor, or 0. */
inline truth(p, q, result) {
  result = 0;
  high = 0;
  i = 0;
  do
  :: i < ACTORS ->
    if
    :: commitAt[i] != 0 && writes(i, p) && commitAt[i] < q && commitAt[i] > high -> high = commitAt[i]; result = i + 1
    :: else
    fi;
    i++
  :: else -> break
  od;
  i = 0;
  high = 0
}

/* Actor b commits between start and commit timestamp, and writes what a has read. */
#define overtakes(b, cb, a, ca) (a <= U && writes(b, readPlace(a)) && start[a] < cb && cb < ca)
byte scanStart;                    /* of S */
byte scanCommit;                   /* set when it is committed */
#define overtakesScan(c) (scanStart < c && c < scanCommit)
#define overtakesO(b, cb, a, ca) (a == O && writes(b, Y) && start[O] < cb && cb < ca)

/* Actor a is committed at c, for everybody: what must hold at that moment. Called inside of a d_step. */
inline happens(a, c) {
  HOLDS(D1, commitAt[a] == 0);
  HOLDS(O1, !toldNot[a]);
  HOLDS(W1, a != T || cell[T * 2 + Y] != ABORTED);
  commitAt[a] = c;
  i = 0;
  do
  :: i < ACTORS ->
#ifdef SERIAL
    HOLDS(Z1, commitAt[i] == 0 || (!overtakes(i, commitAt[i], a, c) && !overtakes(a, c, i, commitAt[i])));
#endif
#ifdef ONE_REGION_READS
    HOLDS(Z1, commitAt[i] == 0 || (!overtakesO(i, commitAt[i], a, c) && !overtakesO(a, c, i, commitAt[i])));
#endif
    if
    :: i != a && commitAt[i] != 0 && share(i, a) ->
      HOLDS(F1, !(snapshots(a) && start[a] < commitAt[i] && commitAt[i] < c));
      HOLDS(F1, !(snapshots(i) && start[i] < c && c < commitAt[i]));
      HOLDS(V1, (version[i] < version[a]) == (commitAt[i] < c) && version[i] != version[a])
    :: else
    fi;
    i++
  :: else -> break
  od;
  i = 0;
#ifdef SCANNER
  HOLDS(Z1, !overtakesScan(c));
#endif
#ifdef READER
  if
  :: got[X] != 0 && writes(a, X) && c < rSnapshot -> truth(X, rSnapshot, was); HOLDS(S1, was + 1 == got[X]); was = 0
  :: else
  fi;
  if
  :: got[Y] != 0 && writes(a, Y) && c < rSnapshot -> truth(Y, rSnapshot, was); HOLDS(S1, was + 1 == got[Y]); was = 0
  :: else
  fi
#endif
}
byte i;                            /* scratch; 0 between steps */
byte high;
byte was;

/* StateRules.commit. */
inline commitLeader(t) {
  if
  :: cell[t * 2 + leaderOf(t)] == PENDING ->
    if
    :: !PLANTED(LEADER_WITHOUT_BUMP) -> clock[host(leaderOf(t))] = MAX(clock[host(leaderOf(t))], decidedAt[t])
    :: else
    fi;
    cell[t * 2 + leaderOf(t)] = COMMITTED;
#ifdef CELL
    cell[t * 2 + Y] = (t == T -> COMMITTED : cell[t * 2 + Y]);
#endif
    happens(t, decidedAt[t])
  :: else
  fi
}

inline abortLeader(t) {
  if
  :: cell[t * 2 + leaderOf(t)] == PENDING ->
    cell[t * 2 + leaderOf(t)] = ABORTED;
#ifdef CELL
    cell[t * 2 + Y] = (t == T -> ABORTED : cell[t * 2 + Y])
#endif
  :: else
  fi
}

#define leader(t) cell[t * 2 + leaderOf(t)]
#define reaches(p, f) (ready(p) && floorKnown[host(p)] >= f)

/* ================= Transaction managers ================= */

#ifdef CELL
/* T deletes the family, U puts column RIVAL_PLACE. */
#define clashes(n, t) \
  (PLANTED(CELL_WITHOUT_MARKS) \
   -> recorded[n * 4 + (t == T -> DEL : RIVAL_PLACE)] > start[t] \
   : (t == T -> recorded[n * 4 + ANY] > start[t] || recorded[n * 4 + DEL] > start[t] \
             : recorded[n * 4 + RIVAL_PLACE] > start[t] || recorded[n * 4 + DEL] > start[t]))
#define record(n, t) \
  recorded[n * 4 + ANY] = last[n] * TICK; \
  recorded[n * 4 + (t == T -> DEL : RIVAL_PLACE)] = last[n] * TICK
#else
#if defined(SERIAL) && !defined(RANGES)
/* It writes one of them, and has read the other one. */
#define checks(t, p) (writes(t, p) || !PLANTED(READS_NOT_VALIDATED))
#else
#define checks(t, p) writes(t, p)
#endif
#define clashes(n, t) ((checks(t, X) && recorded[n * 4 + X] > start[t]) || (checks(t, Y) && recorded[n * 4 + Y] > start[t]))
#define record(n, t) \
  recorded[n * 4 + X] = (writes(t, X) -> last[n] * TICK : recorded[n * 4 + X]); \
  recorded[n * 4 + Y] = (writes(t, Y) -> last[n] * TICK : recorded[n * 4 + Y])
#endif

#ifdef SERIAL
#define granted (PLANTED(CONDITION_IGNORED) -> PASSED : ASSIGNED)
#else
#define granted PASSED
#endif

/* ValidatorCore.validate [R7]. */
inline validate(n, t) {
  if
  :: start[t] >= bound(n) || (decision[n * 2 + t] == UNDECIDED && !issues(n))
  :: else ->
    if
    :: decision[n * 2 + t] != UNDECIDED -> answer[t] = decision[n * 2 + t]
    :: else ->
      if
      :: start[t] < floorOf(n) || start[t] < decidedSafe[n] -> answer[t] = REFUSED
      :: else ->
        if
        :: clashes(n, t) -> decision[n * 2 + t] = CONFLICT; answer[t] = CONFLICT
        :: else ->
          HOLDS(D1, decidedAt[t] == 0);
          last[n]++;
          record(n, t);
          decision[n * 2 + t] = granted;
          decidedAt[t] = last[n] * TICK;
          answer[t] = granted
        fi
      fi
    fi
  fi;
  sent[n * 2 + t] = 0
}

inline begin(a, n) {
  last[n]++;
  start[a] = last[n] * TICK;
  version[a] = start[a];
  floorTold[a] = floorOf(n)
}

#if defined(WRITER) || defined(RIVAL)
proctype Validation() {
end:
  do
#ifdef WRITER
  :: d_step { sent[0 + T] -> validate(0, T) }
#ifdef FAILOVER
  :: d_step { sent[2 + T] -> validate(1, T) }
#endif
#endif
#ifdef RIVAL
  :: d_step { sent[0 + U] -> validate(0, U) }
#ifdef FAILOVER
  :: d_step { sent[2 + U] -> validate(1, U) }
#endif
#endif
  od
}
#endif

/* ================= Time, places, ZooKeeper ================= */

inline refresh(s) {
  floorKnown[s] = FLOOR;
  safeKnown[s] = zSafe;
  fresh = (place == s -> 1 : fresh)
}

inline opens(s) {
  place = s;
  moves++;
  fresh = 0;
  gate = 0;
  openTick = 0;
  askedSince[s] = 0
}

/* FamilyCollector with all files, for place p: what it drops, what it freezes. */
#define coveredBy(b, a, p) \
  (b != a && isCommitted(cell[b * 2 + p]) && shownCommit(cell[b * 2 + p], b) < safeKnown[host(p)] && \
   shownVersion(cell[b * 2 + p], b) > shownVersion(cell[a * 2 + p], a))
#define covered(a, p) (coveredBy(0, a, p) || coveredBy(1, a, p) || coveredBy(2, a, p) || coveredBy(3, a, p) || coveredBy(4, a, p))
#define isSettled(a, p) \
  (cell[a * 2 + p] == BIRTH || cell[a * 2 + p] == FROZEN || cell[a * 2 + p] == FINAL || \
   (cell[a * 2 + p] == COMMITTED && (p != leaderOf(a) || PLANTED(LEADER_NOT_FINAL))))
#define isOld(a, p) \
  ((PLANTED(FREEZES_BY_START) && a <= U -> start[a] : shownCommit(cell[a * 2 + p], a)) < safeKnown[host(p)])

inline collectOne(a, p) {
  if
  :: isSettled(a, p) && isOld(a, p) ->
    if
    :: covered(a, p) -> cell[a * 2 + p] = GONE
    :: else ->
      if
      :: a <= U ->
        cell[a * 2 + p] = FROZEN;
        if
        :: a == T && p == X && !PLANTED(FREEZES_ROLLED_BACK) -> second = second && !rolledBack; rolledBack = 0
        :: a == T && p == X && PLANTED(FREEZES_ROLLED_BACK) -> rolledBack = 0
        :: else
        fi
      :: else
      fi
    fi
  :: cell[a * 2 + p] == ABORTED && (start[a] < safeKnown[host(p)] || PLANTED(ABORTED_DROPPED)) -> cell[a * 2 + p] = GONE
  :: else
  fi
}

inline collect(p) {
  collectOne(0, p);
  collectOne(1, p);
  collectOne(2, p);
  collectOne(3, p);
  collectOne(4, p)
}

/* The last timestamp that it had issued some time ago, but not above a hold. */
#define capped(n, t) (held[n] && !PLANTED(HOLD_IGNORED) && rSnapshot < (t) * TICK -> rSnapshot : (t) * TICK)

proctype World() {
end:
  do
  :: false
#ifdef FAILOVER
  :: d_step { !over -> over = 1; decidedSafe[1] = zSafe }
#endif
#if defined(FAILOVER) || MOVES > 0 || SAFES > 0
  :: d_step { (floorKnown[0] != FLOOR || safeKnown[0] != zSafe || (place == 0 && !fresh)) && !zombie -> refresh(0) }
  :: d_step { floorKnown[1] != FLOOR || safeKnown[1] != zSafe || (place == 1 && !fresh) -> refresh(1) }
#endif
#if MOVES > 0
  /* An orderly move: what is under way ends first. */
  :: d_step { moves < MOVES && !zombie && !locked(X) && (!inMoving(Y) || !locked(Y)) -> opens(1 - place) }
#endif
#ifdef ZOMBIE
  /* Server 0 loses its session and does not know; what is under way there never gets into the log. */
  :: d_step { moves < MOVES && !zombie && place == 0 ->
      zombie = 1;
      staleGate = gate;
      staleOpenTick = openTick;
      i = 0;
      do
      :: i < 10 -> cell[i] = (cell[i] == ARRIVED && inMoving(i % 2) -> ABSENT : cell[i]); stale[i] = cell[i]; i++
      :: else -> break
      od;
      i = 0;
      do
      :: i < ACTORS -> flight[i] = (flight[i] == 1 && inMoving(X) -> 0 : flight[i]); i++
      :: else -> break
      od;
      i = 0;
#ifdef ONE_REGION
      attempt[0] = (attempt[0] == 3 -> 4 : attempt[0]);
      attempt[1] = (attempt[1] == 3 -> 4 : attempt[1]);
#endif
      opens(1)
    }
#endif
#if SAFES > 0
  :: d_step { raises < SAFES && capped(0, last[0]) > decidedSafe[0] -> decidedSafe[0] = capped(0, last[0]); raises++ }
  :: d_step { raises < SAFES && capped(0, last[0] - 1) > decidedSafe[0] -> decidedSafe[0] = capped(0, last[0] - 1); raises++ }
  /* Somebody else has begun meanwhile. */
  :: d_step { raises < SAFES && issues(0) && capped(0, last[0] + 1) > decidedSafe[0] ->
      last[0]++; decidedSafe[0] = capped(0, last[0]); raises++ }
  :: d_step { decidedSafe[0] > zSafe && !over -> zSafe = decidedSafe[0] }
#ifdef FAILOVER
  /* Holds.safePointPause: holds that its predecessor gave are renewed with it by then, or over. */
#define pauseOver (!held[0] || held[1] || holdOver || PLANTED(HOLDS_FORGOTTEN))
  :: d_step { raises < SAFES && over && pauseOver && capped(1, last[1]) > decidedSafe[1] -> decidedSafe[1] = capped(1, last[1]); raises++ }
  :: d_step { over && decidedSafe[1] > zSafe -> zSafe = decidedSafe[1] }
#endif
  :: d_step { safeKnown[host(X)] > 0 && ready(X) && !locked(X) -> collect(X) }
  :: d_step { safeKnown[host(Y)] > 0 && ready(Y) && !locked(Y) -> collect(Y) }
#ifdef HOLD
  :: d_step { isHolding && !holdOver && over && !held[1] && rSnapshot >= zSafe && rSnapshot >= decidedSafe[1] -> held[1] = 1 }  /* renewed */
  :: d_step { isHolding && !holdOver -> holdOver = 1; isHolding = 0; held[0] = 0; held[1] = 0 }
#endif
#endif
  od
}

/* Nobody else draws versions. */
#if (MOVES > 0 || ASKS > 0) && (defined(FAST) || defined(ONE_REGION))
#define TICKING
#endif

#ifdef TICKING
/* TickLedger and FastGate of one server. */
#define wantsTick(s) ((place == s && !gate) || asks < ASKS || (clock[s] % TICK == TICK - 1))
proctype Ticks(bit s) {
end:
  do
  :: d_step { !asked[s] && issues(0) && wantsTick(s) ->
      asks = (asks < ASKS -> asks + 1 : asks);
      last[0]++; askedTick[s] = last[0]; askedOne[s] = 0; askedSince[s] = (place == s); asked[s] = 1 }
#ifdef FAILOVER
  :: d_step { !asked[s] && issues(1) && wantsTick(s) ->
      asks = (asks < ASKS -> asks + 1 : asks);
      last[1]++; askedTick[s] = last[1]; askedOne[s] = 1; askedSince[s] = (place == s); asked[s] = 1 }
#endif
  :: d_step { asked[s] ->
      clock[s] = (PLANTED(STALE_TICK) -> askedTick[s] * TICK : MAX(clock[s], askedTick[s] * TICK));
      if
      :: place == s && fresh && !gate && (askedSince[s] || PLANTED(TICK_OF_BEFORE)) &&
         (askedOne[s] || floorKnown[s] == 0 || PLANTED(TICK_OF_ZOMBIE)) ->
        gate = 1;
        openTick = askedTick[s] * TICK
      :: else
      fi;
      asked[s] = 0; askedTick[s] = 0; askedSince[s] = 0; askedOne[s] = 0 }
  od
}
#endif

#if defined(READER) || defined(CERTIFIES_RANGES)
/* ================= Resolution of intents ================= */

#define rReaches(p, f) (ready(p) && (floorKnown[host(p)] >= f || PLANTED(LEADER_READ_WITHOUT_FLOOR)))
#define mayTell(n, q) (PLANTED(STATUS_WITHOUT_SNAPSHOT) || q < bound(n))
#define sees(t, q) (commitAt[t] < q -> SEEN : INVISIBLE)

inline rJudge(t, q, judgment) {
  if
  :: committedState(leader(t)) -> judgment = sees(t, q); knowsCommitted[t] = 1
  :: leader(t) == ABORTED -> judgment = INVISIBLE; knowsAborted[t] = 1
  :: else -> judgment = INVISIBLE
  fi
}

#define isPassed(n, t) (decision[n * 2 + t] == PASSED || (decision[n * 2 + t] == ASSIGNED && PLANTED(ASSIGNED_IS_PASSED)))
#define isGranted(n, t) (decision[n * 2 + t] == PASSED || decision[n * 2 + t] == ASSIGNED)

/* How long it waits for an assigned transaction is not said: at some time it aborts it, if it is still undecided. */
inline loseWait(t, q, judgment) {
  if
  :: PLANTED(FINISHED_BY_READER) -> commitLeader(t)
  :: PLANTED(ASSIGNED_IS_INVISIBLE)
  :: else -> abortLeader(t)
  fi;
  rJudge(t, q, judgment)
}

/* IntentResolver, for a reader at snapshot q that was told floor f. */
inline resolve(t, q, f, judgment) {
  /* The leader. */
  d_step { rReaches(leaderOf(t), f) ->
    if
    :: committedState(leader(t)) -> judgment = sees(t, q); knowsCommitted[t] = 1
    :: leader(t) == ABORTED -> judgment = INVISIBLE; knowsAborted[t] = 1
    :: leader(t) == PENDING
    :: else ->
      judgment = INVISIBLE;
      if
      :: PLANTED(ABSENT_IS_ABORTED) -> knowsAborted[t] = 1
      :: else
      fi
    fi
  };
  if
  :: judgment != 0
  :: else ->
    if
    :: atomic { mayTell(0, q) && decision[0 + t] == UNDECIDED -> judgment = INVISIBLE }
    :: atomic { mayTell(0, q) && isGranted(0, t) && decidedAt[t] > q -> judgment = INVISIBLE }
    :: mayTell(0, q) && isPassed(0, t) && decidedAt[t] < q ->
      d_step { rReaches(leaderOf(t), f) && !locked(leaderOf(t)) -> commitLeader(t); rJudge(t, q, judgment) }
#ifdef SERIAL
    :: mayTell(0, q) && decision[0 + t] == ASSIGNED && decidedAt[t] < q ->
      d_step { rReaches(leaderOf(t), f) && !locked(leaderOf(t)) -> loseWait(t, q, judgment) }
#ifdef FAILOVER
    :: over && decision[2 + t] == ASSIGNED && decidedAt[t] < q ->
      d_step { rReaches(leaderOf(t), f) && !locked(leaderOf(t)) -> loseWait(t, q, judgment) }
#endif
#endif
    :: mayTell(0, q) && decision[0 + t] == CONFLICT ->
      d_step { rReaches(leaderOf(t), f) && !locked(leaderOf(t)) -> abortLeader(t); rJudge(t, q, judgment) }
#ifdef FAILOVER
    :: atomic { over && decision[2 + t] == UNDECIDED && start[t] >= FIRST * TICK -> judgment = INVISIBLE }
    :: atomic { over && isGranted(1, t) && decidedAt[t] > q -> judgment = INVISIBLE }
    :: over && isPassed(1, t) && decidedAt[t] < q ->
      d_step { rReaches(leaderOf(t), f) && !locked(leaderOf(t)) -> commitLeader(t); rJudge(t, q, judgment) }
    :: over && (decision[2 + t] == CONFLICT || (decision[2 + t] == UNDECIDED && start[t] < FIRST * TICK)) ->
      d_step { rReaches(leaderOf(t), f) && !locked(leaderOf(t)) -> abortLeader(t); rJudge(t, q, judgment) }
#endif
    fi
  fi
}
#endif

/* ================= Regular transactions ================= */

#define refusedFlush(t, p) \
  (start[t] < floorKnown[host(p)] || (start[t] < safeKnown[host(p)] && !PLANTED(DUPLICATE_BELOW_SAFE_POINT)) || \
   overwritten(p, start[t]))
#ifdef CELL
/* The family delete of T covers both columns. */
#define flushesAlone(t) (t == U)
#define refused(t, p) \
  (refusedFlush(t, p) || (t == T && !PLANTED(WIDE_CHECKS_ONE_COLUMN) && overwritten(Y, start[t])))
#else
#define flushesAlone(t) 1
#define refused(t, p) refusedFlush(t, p)
#endif
#define unset(c) (c == ABSENT || c == GONE)

#ifdef SERIAL
/* Certification of readPlace(t) at server `at`. */
#define certifiedAt(t) (PLANTED(CERTIFIES_AT_START) -> start[t] : decidedAt[t])
#define isThere(t) (isOld -> zombie : host(readPlace(t)) == at)
#define fliesBelow(a, t) (flight[a] == at + 1 && writes(a, readPlace(t)) && version[a] < certifiedAt(t))
#define noneInFlight(t) (!fliesBelow(O, t) && !fliesBelow(F, t) && !fliesBelow(G, t))
#define wasBorn(a, t) \
  ((isOld -> stale[a * 2 + readPlace(t)] : cell[a * 2 + readPlace(t)]) == BIRTH && \
   start[t] < version[a] && version[a] < certifiedAt(t))
#endif

#ifdef CERTIFIES_RANGES
/* ================= Certification of ranges ================= */

/*
 * A certifying scan by actor me, with start timestamp b and commit timestamp c, of the rows from `row` to
 * `lastRow`, at server `at`; isOld: which does not know that its session is lost. S has a proctype of its own.
 */
#define scanLocals \
  bit at; \
  bit isOld; \
  bit changed; \
  byte met;                        /* 1 + the transaction whose intent is in the way */ \
  byte judgments[2]; \
  byte asOf;                       /* the commit timestamp */ \
  byte row; \
  byte lastRow
#define serves(p) (isOld -> zombie : host(p) == at)
#define drawnBelow(a, p, q) (flight[a] == at + 1 && writes(a, p) && version[a] < q)
#define landed(p, q) (!drawnBelow(O, p, q) && !drawnBelow(F, p, q) && !drawnBelow(G, p, q))
#ifdef SAME_REGION
#define allLanded(p, q) (landed(p, q) && (landed(1 - p, q) || PLANTED(SCAN_WAITS_FOR_ROW)))
#define continues(p) (host(p) == at)
#else
#define allLanded(p, q) landed(p, q)
#define continues(p) false
#endif

/* Transaction cells of a family, from new to old: at level ROW the search ends at the first commit below the start. */
#define scanned(a, p) (isOld -> stale[(a) * 2 + p] : cell[(a) * 2 + p])
#define endsAt(a, p, b) (committedState(scanned(a, p)) && commitAt[a] < b)
#ifdef COLUMNS
#define isPassedOver(a, p, b) (PLANTED(SEARCH_ENDS_EARLY) && a <= U && endsAt(1 - a, 1 - p, b) && version[1 - a] > version[a])
#else
#define isPassedOver(a, p, b) (a <= U && endsAt(1 - a, p, b) && version[1 - a] > version[a])
#endif
#define isChange(a, p, b, c) \
  (isCommitted(scanned(a, p)) && b < shownCommit(scanned(a, p), a) && shownCommit(scanned(a, p), a) < c && \
   !isPassedOver(a, p, b) && !(a <= U && PLANTED(BIRTHS_ONLY)))
#define isPointer(a, p, c) \
  (a <= U && scanned(a, p) == PENDING && start[a] < c && judgments[a] == 0 && !PLANTED(POINTERS_IGNORED))

inline lookBetween(me, p, b, c) {
  i = 0;
  do
  :: i < ACTORS ->
    if
    :: i != me && isChange(i, p, b, c) -> changed = 1
    :: else
    fi;
    if
    :: i != me && isPointer(i, p, c) -> met = i + 1
    :: else
    fi;
    i++
  :: else -> break
  od;
  i = 0
}

/* What its scan at b has found out of the intents at p. */
#define wasInvisible(a, p, b) (cell[a * 2 + p] == PENDING && start[a] < b && (decidedAt[a] == 0 || decidedAt[a] > b))
inline keepJudgments(me, p, b) {
  judgments[T] = (me != T && wasInvisible(T, p, b) -> INVISIBLE : judgments[T]);
  judgments[U] = (me != U && wasInvisible(U, p, b) -> INVISIBLE : judgments[U])
}

#define isFound(a, b) (judgments[a] == SEEN && commitAt[a] > b)

inline certifyRange(me, b, c, f) {
  asOf = (PLANTED(CERTIFIES_AT_START) -> b : c);
admission:
  if
  :: d_step { reaches(row, f) ->
      at = host(row);
      isOld = 0;
      clock[at] = (PLANTED(LOOKS_THEN_BUMPS) -> clock[at] : MAX(clock[at], asOf))
    }
#ifdef ZOMBIE
  :: d_step { zombie && inMoving(row) && floorKnown[0] >= f ->
      at = 0;
      isOld = 1;
      clock[0] = MAX(clock[0], asOf)
    }
#endif
  fi;
  if
  :: atomic { PLANTED(SAFE_POINT_BEFORE_READ) && b < safeKnown[at] -> goto abort }
  :: atomic { serves(row) && (isOld || ready(row)) && (allLanded(row, asOf) || PLANTED(CERTIFIES_WITHOUT_WAITING)) }
  :: atomic { !serves(row) -> goto admission }
  fi;
looking:
  if
  :: d_step { serves(row) && (isOld || ready(row)) ->
      lookBetween(me, row, b, asOf);
#ifdef COLUMNS
      lookBetween(me, 1 - row, b, asOf)
#endif
    }
  :: atomic { !serves(row) -> goto admission }
  fi;
  if
  :: met != 0 && !changed && !PLANTED(POINTERS_NOT_REREAD)
  :: else ->
    if
    :: atomic { serves(row) && (changed || (b < safeKnown[at] && !PLANTED(SAFE_POINT_BEFORE_READ)) || b < floorKnown[at]) -> goto abort }
    :: d_step { serves(row) && !changed && (b >= safeKnown[at] || PLANTED(SAFE_POINT_BEFORE_READ)) && b >= floorKnown[at] &&
                (!isOld || PLANTED(ZOMBIES_ANSWER)) ->
        clock[at] = MAX(clock[at], asOf)
      }
    :: atomic { !serves(row) || isOld -> met = 0; goto admission }
    fi
  fi;
  if
  :: met != 0 ->
    if
    :: met == T + 1 -> resolve(T, asOf, f, judgments[T]); changed = isFound(T, b)
    :: else -> resolve(U, asOf, f, judgments[U]); changed = isFound(U, b)
    fi;
    met = 0;
    if
    :: changed -> goto abort
    :: !changed && !PLANTED(POINTERS_NOT_REREAD) -> goto admission
    :: else
    fi
  :: else
  fi;
  if
  :: row == lastRow
  :: row != lastRow && continues(row + 1) -> row++; goto looking
  :: else -> row++; goto admission
  fi
}
#endif

proctype Regular(byte t) {
  bit acknowledged[2];
  bit first = 1;
#ifdef RANGES
  scanLocals;
#elif defined(SERIAL)
  bit at;                          /* the server that certifies */
  bit isOld;                       /* without knowing that its session is lost */
  bit changed;                     /* it has found a birth between start and commit timestamp */
#endif

  if
  :: d_step { issues(0) -> begin(t, 0) }
#ifdef FAILOVER
  :: d_step { issues(1) -> begin(t, 1) }
#endif
  fi;

#ifdef SERIAL
  /* The read raises the clock to the snapshot. What it shows is what commits below that have left: S1 and S2 of a reader. */
  d_step { reaches(readPlace(t), floorTold[t]) ->
#ifdef RANGES
    row = readPlace(t);
    lastRow = row;
    if
    :: PLANTED(JUDGMENTS_KEPT) -> keepJudgments(t, row, start[t])
    :: else
    fi;
#endif
    clock[host(readPlace(t))] = MAX(clock[host(readPlace(t))], start[t])
  };
#endif

  do
  :: atomic { writes(t, X) && cell[t * 2 + X] == ABSENT && !acknowledged[X] && reaches(X, floorTold[t]) && !locked(X) ->
      if
      :: refused(t, X) -> goto done
      :: else ->
#ifdef FAILOVER
        cell[t * 2 + X] = ARRIVED
#else
        cell[t * 2 + X] = PENDING;
#ifdef CELL
        cell[t * 2 + Y] = (t == T -> PENDING : cell[t * 2 + Y]);
        acknowledged[Y] = (t == T -> 1 : acknowledged[Y]);
#endif
        acknowledged[X] = 1
#endif
      fi
    }
#ifdef FAILOVER
  :: d_step { cell[t * 2 + X] == ARRIVED -> cell[t * 2 + X] = PENDING }
  :: atomic { !acknowledged[X] && cell[t * 2 + X] > ARRIVED ->
      if
      :: start[t] >= floorKnown[host(X)] || PLANTED(FENCE_ONCE) -> acknowledged[X] = 1
      :: else -> goto done
      fi
    }
#endif
  :: atomic { writes(t, Y) && flushesAlone(t) && cell[t * 2 + Y] == ABSENT && !acknowledged[Y] && reaches(Y, floorTold[t]) && !locked(Y) ->
      if
      :: refused(t, Y) -> goto done
      :: else ->
#ifdef FAILOVER
        cell[t * 2 + Y] = ARRIVED
#else
        cell[t * 2 + Y] = PENDING;
        acknowledged[Y] = 1
#endif
      fi
    }
#ifdef FAILOVER
  :: d_step { cell[t * 2 + Y] == ARRIVED -> cell[t * 2 + Y] = PENDING }
  :: atomic { !acknowledged[Y] && cell[t * 2 + Y] > ARRIVED ->
      if
      :: start[t] >= floorKnown[host(Y)] || PLANTED(FENCE_ONCE) -> acknowledged[Y] = 1
      :: else -> goto done
      fi
    }
#endif
  :: atomic { (acknowledged[X] || !writes(t, X)) && (acknowledged[Y] || !writes(t, Y)) -> break }
  od;

#ifdef SAVEPOINT
  /* The first flush has been acknowledged; the others are sent one after the other, each again if need be. */
  if
  :: t == T ->
    d_step { flushed = MAX(flushed, 1) };
    atomic { cell[T * 2 + X] == PENDING && reaches(X, floorTold[T]) -> flushed = 2; second = 1 };
    rollsBack = 1;
    if
    :: PLANTED(ROLLBACK_NOT_AWAITED)
    :: atomic { cell[T * 2 + X] == PENDING && reaches(X, floorTold[T]) -> flushed = 3; rolledBack = 1 }
    fi
  :: else
  fi;
#endif

  /* CommitProtocol.validate */
  do
  :: d_step { first -> sent[0 + t] = 1; first = 0 }
#ifdef FAILOVER
  :: d_step { over && !sent[2 + t] && answer[t] != PASSED && answer[t] != ASSIGNED && answer[t] != CONFLICT -> sent[2 + t] = 1; first = 0 }
#endif
  :: atomic { answer[t] == PASSED || answer[t] == ASSIGNED -> break }
  :: d_step { answer[t] == CONFLICT && !toldNot[t] -> toldNot[t] = 1; HOLDS(O1, commitAt[t] == 0); knowsAborted[t] = (leader(t) == ABORTED) };
    goto done
  :: atomic { !first && (answer[t] == REFUSED || answer[t] == UNDECIDED) -> goto abort }
  od;

#ifdef RANGES
  if
  :: atomic { answer[t] == PASSED -> goto commit }
  :: atomic { answer[t] == ASSIGNED }
  fi;
  certifyRange(t, start[t], decidedAt[t], floorTold[t]);
commit:
#elif defined(SERIAL)
certify:
  /* The clock, writes in flight, the row, and then what must still hold: the order is the argument. */
  if
  :: atomic { answer[t] == PASSED -> goto commit }
  :: d_step { answer[t] == ASSIGNED && reaches(readPlace(t), floorTold[t]) ->
      at = host(readPlace(t));
      isOld = 0;
      clock[at] = (PLANTED(LOOKS_THEN_BUMPS) -> clock[at] : MAX(clock[at], certifiedAt(t)))
    }
#ifdef ZOMBIE
  :: d_step { answer[t] == ASSIGNED && zombie && inMoving(readPlace(t)) && floorKnown[0] >= floorTold[t] ->
      at = 0;
      isOld = 1;
      clock[0] = MAX(clock[0], certifiedAt(t))
    }
#endif
  fi;
  if
  :: d_step { isThere(t) && (isOld || ready(readPlace(t))) && (noneInFlight(t) || PLANTED(CERTIFIES_WITHOUT_WAITING)) ->
      changed = wasBorn(O, t) || wasBorn(F, t) || wasBorn(G, t)
    }
  :: atomic { !isThere(t) -> goto certify }
  fi;
  if
  :: atomic { isThere(t) && (changed || start[t] < safeKnown[at] || start[t] < floorKnown[at]) -> goto abort }
  :: d_step { isThere(t) && !changed && start[t] >= safeKnown[at] && start[t] >= floorKnown[at] && (!isOld || PLANTED(ZOMBIES_ANSWER)) ->
      clock[at] = MAX(clock[at], certifiedAt(t))
    }
  :: atomic { !isThere(t) || isOld -> goto certify }
  fi;
commit:
#endif
  if
  :: d_step { reaches(leaderOf(t), floorTold[t]) && !locked(leaderOf(t)) ->
    commitLeader(t);
    if
    :: committedState(leader(t)) || leader(t) == FROZEN -> told[t] = 1; knowsCommitted[t] = committedState(leader(t)); HOLDS(O1, commitAt[t] != 0)
    :: leader(t) == ABORTED -> toldNot[t] = 1; knowsAborted[t] = 1; HOLDS(O1, commitAt[t] == 0)
    :: else
    fi
    }
  fi;
  goto done;
abort:
  /* Refused, or no answer: the leader tells [M4, M5]. */
  skip;
  d_step { reaches(leaderOf(t), floorTold[t]) ->
    if
    :: PLANTED(REFUSED_IS_ABORTED) && answer[t] == REFUSED -> toldNot[t] = 1; HOLDS(O1, commitAt[t] == 0)
    :: else ->
      abortLeader(t);
      if
      :: leader(t) == ABORTED -> toldNot[t] = 1; knowsAborted[t] = 1; HOLDS(O1, commitAt[t] == 0)
      :: committedState(leader(t)) -> told[t] = 1; knowsCommitted[t] = 1
      :: else
      fi
    fi
  };
done:
  skip
}

#ifdef SCANNER
proctype Scanner() {
  scanLocals;
  byte assigned;
  d_step { issues(0) -> last[0]++; scanStart = last[0] * TICK };
  /* It scans; what it shows is what commits below have left: S1 and S2 of a reader. */
  if
  :: PLANTED(JUDGMENTS_KEPT) -> d_step { keepJudgments(S, FIRST_ROW, scanStart); keepJudgments(S, Y, scanStart) }
  :: else
  fi;
  d_step { issues(0) -> last[0]++; assigned = last[0] * TICK; row = FIRST_ROW; lastRow = LAST_ROW };
  certifyRange(S, scanStart, assigned, 0);
  d_step {
    scanCommit = assigned;
    i = 0;
    do
    :: i < ACTORS -> HOLDS(Z1, commitAt[i] == 0 || !overtakesScan(commitAt[i])); i++
    :: else -> break
    od;
    i = 0
  };
abort:
  skip
}
#endif

/* Work after commits and aborts, by whoever knows the fate, as late and as often as may be. */
#define follower(t) (1 - leaderOf(t))
#define isHealed(t) (cell[t * 2 + follower(t)] == COMMITTED || cell[t * 2 + follower(t)] == FROZEN || cell[t * 2 + follower(t)] == GONE)

proctype Settling() {
end:
  do
  :: false
#ifdef WRITER
  :: d_step { knowsCommitted[T] && ready(Y) && !locked(Y) && cell[T * 2 + Y] == PENDING ->
      if
      :: !PLANTED(HEAL_WITHOUT_BUMP) -> clock[host(Y)] = MAX(clock[host(Y)], commitAt[T])
      :: else
      fi;
      cell[T * 2 + Y] = COMMITTED }
  :: d_step { knowsAborted[T] && ready(Y) && !locked(Y) &&
              (cell[T * 2 + Y] == PENDING || (PLANTED(HEAL_IN_THE_BLIND) && cell[T * 2 + Y] == COMMITTED)) ->
      HOLDS(W1, commitAt[T] == 0);
      cell[T * 2 + Y] = ABORTED }
  :: d_step { knowsCommitted[T] && ready(X) && cell[T * 2 + X] == COMMITTED && (isHealed(T) || PLANTED(FINAL_BEFORE_HEALED)) ->
      cell[T * 2 + X] = FINAL }
#endif
#ifdef RIVAL
  :: d_step { knowsCommitted[U] && ready(leaderOf(U)) && leader(U) == COMMITTED -> leader(U) = FINAL }
#endif
#ifdef SERIAL
  /* An operation of the fast path has waited for the intent for as long as it may. */
#ifdef WRITER
  :: d_step { answer[T] == ASSIGNED && leader(T) == PENDING && ready(X) -> abortLeader(T); knowsAborted[T] = 1 }
#endif
  :: d_step { answer[U] == ASSIGNED && leader(U) == PENDING && ready(leaderOf(U)) -> abortLeader(U); knowsAborted[U] = 1 }
#endif
#if defined(DUPLICATES) && defined(WRITER)
  /* A second arrival of the flush of a row: only where the cell is gone does it find something to do [M7, M8]. */
  :: d_step { (cell[T * 2 + X] == GONE) && ready(X) && !locked(X) && !refused(T, X) -> cell[T * 2 + X] = PENDING }
  :: d_step { (cell[T * 2 + Y] == GONE) && ready(Y) && !locked(Y) && !refused(T, Y) -> cell[T * 2 + Y] = PENDING }
#endif
#ifdef SAVEPOINT
  /* A second arrival of the second flush, which says nothing of a rollback. */
  :: d_step { flushed == 3 && cell[T * 2 + X] == PENDING && ready(X) && PLANTED(FLUSH_NUMBER_IGNORED) -> flushed = 2; rolledBack = 0 }
#endif
  od
}

#ifdef HEALER
/* Settlement and HealingRules, for T's follower at Y, or T's leader. */
proctype Healer() {
  byte over_;
  do
  :: d_step { (cell[T * 2 + Y] == PENDING || cell[T * 2 + X] == PENDING || cell[T * 2 + X] == COMMITTED) && ready(X) && ready(Y) ->
      over_ = MAX(floorKnown[host(Y)], safeKnown[host(Y)]) };
    if
    :: d_step { committedState(cell[T * 2 + X]) -> knowsCommitted[T] = 1 }
    :: d_step { cell[T * 2 + X] == ABORTED -> knowsAborted[T] = 1 }
    :: d_step { cell[T * 2 + X] == PENDING && ready(X) && !locked(X) && (decision[0 + T] == PASSED || decision[2 + T] == PASSED) ->
        commitLeader(T); knowsCommitted[T] = 1 }
    :: d_step { cell[T * 2 + X] == PENDING && ready(X) && (decision[0 + T] == CONFLICT || decision[2 + T] == CONFLICT) ->
        abortLeader(T); knowsAborted[T] = 1 }
    :: cell[T * 2 + X] == PENDING && start[T] < over_;
      d_step { ready(X) && !locked(X) -> abortLeader(T); knowsAborted[T] = (cell[T * 2 + X] == ABORTED) }
    :: (unset(cell[T * 2 + X]) || cell[T * 2 + X] == FROZEN) && start[T] < over_;
      /* Planting: absent, and above the safe point; else refused, which proves what it has to. */
      d_step { ready(X) && !locked(X) ->
        if
        :: unset(cell[T * 2 + X]) || cell[T * 2 + X] == FROZEN ->
          if
          :: start[T] >= safeKnown[host(X)] || PLANTED(PLANT_BELOW_SAFE_POINT) -> 
            HOLDS(O1, commitAt[T] == 0);
            cell[T * 2 + X] = ABORTED
          :: else
          fi;
          knowsAborted[T] = 1
        :: else
        fi }
    :: else
    fi;
    over_ = 0
  od
}
#endif

/* ================= Committed at birth ================= */

/* LocalVersionClock.next, above all that was met on the row; only if its tick has a number left. */
#define canDraw(s) (clock[s] % TICK != TICK - 1)
inline draw(a, s) {
  clock[s] = clock[s] + (clock[s] % TICK == 0 -> 2 : 1);
  version[a] = clock[s];
  flight[a] = s + 1
}

/* In the log and visible. */
inline land(a) {
  cell[a * 2 + X] = (writes(a, X) -> BIRTH : cell[a * 2 + X]);
  cell[a * 2 + Y] = (writes(a, Y) -> BIRTH : cell[a * 2 + Y]);
  flight[a] = 0;
  happens(a, version[a])
}

#ifdef FAST
/* What is in the way at the table's level. */
#define obstructed(p) (intentAt(p) && !PLANTED(INTENTS_IGNORED))

proctype Session() {
  byte mark;
  bit h;
  byte a = F;
  byte p;
  if
  :: skip
#ifdef WRITER
  :: atomic { told[T] -> mark = commitAt[T] }     /* somebody told it of T */
#endif
  fi;
  do
  :: a <= G ->
    p = (a == F -> FAST_PLACE : 1 - FAST_PLACE);
    d_step { ready(p) && mayDraw(p) && !locked(p) && !obstructed(p) && canDraw(host(p)) ->
      if
      :: !PLANTED(MARK_IGNORED) -> clock[host(p)] = MAX(clock[host(p)], mark)
      :: else
      fi;
      h = host(p);
      draw(a, h);
      h = 0;
      HOLDS(V2, version[a] > mark)
    };
    d_step { flight[a] != 0 -> land(a) };
    d_step { commitAt[a] != 0 -> mark = commitAt[a]; told[a] = 1 };
#ifdef FAST_TWICE
    a++
#else
    a = G + 1
#endif
  :: else -> break
  od
}
#endif

#ifdef ONE_REGION
#define NO_REPLY 0
#define APPLIED 1
#define NOT_APPLIED 2              /* a conflict, an intent, an opening unknown to it: nothing was done */
#define ELSEWHERE 3                /* come again: not here, or not yet */
#define TOO_OLD 4

#define servesX(s) (place == s || (s == 0 && zombie))
#define isStale(s) (s == 0 && zombie && place != 0)
#define storeAt(s, k) (isStale(s) -> stale[k] : cell[k])
#define gateAt(s) (isStale(s) -> staleGate : mayDraw(X))
#define openTickAt(s) (isStale(s) -> staleOpenTick : openTick)
#define freshAt(s) (isStale(s) || fresh || PLANTED(REGION_FORGETS))
#define newerAt(s, a, p, q) newer(storeAt(s, a * 2 + p), a, q)
#define overwrittenAt(s, p, q) (newerAt(s, 0, p, q) || newerAt(s, 1, p, q) || newerAt(s, 3, p, q) || newerAt(s, 4, p, q))
#define intentIn(s, p) (storeAt(s, 0 + p) == PENDING || storeAt(s, 2 + p) == PENDING)
#define oConflict(s) \
  (!PLANTED(CONFLICTS_IGNORED) && ((O_WRITES(X) && overwrittenAt(s, X, start[O])) || (O_WRITES(Y) && overwrittenAt(s, Y, start[O]))))
#define oIntent(s) (!PLANTED(INTENTS_IGNORED) && ((O_WRITES(X) && intentIn(s, X)) || (O_WRITES(Y) && intentIn(s, Y))))
#define oLocked(s) (!isStale(s) && (locked(X) || (O_WRITES(Y) && locked(Y))))
/* What O has read may have been changed between its start and its version: CommitReads. */
#define inFlightAtY(a) (flying(a, Y) && version[a] < version[O])
#define oReadsChanged \
  (!PLANTED(ONE_REGION_READS_IGNORED) && \
   (((inFlightAtY(F) || inFlightAtY(G)) && !PLANTED(READ_IN_FLIGHT_IGNORED)) || \
    (intentAt(Y) && !PLANTED(READ_INTENTS_IGNORED)) || overwritten(Y, start[O])))
/* A reply that nothing in the log vouches for needs the session: FastWrites.attempt. */
#define answers(s) (!isStale(s) || PLANTED(ZOMBIES_ANSWER))

proctype Attempt(byte k) {
  bit s;
end:
  do
  :: d_step { attempt[k] == 1 && !(servesX(attemptAt[k]) && freshAt(attemptAt[k])) -> reply[k] = ELSEWHERE; attempt[k] = 2 }
  :: d_step { attempt[k] == 1 && servesX(attemptAt[k]) && freshAt(attemptAt[k]) && !oLocked(attemptAt[k]) &&
              floorKnown[attemptAt[k]] >= floorTold[O] ->
      s = attemptAt[k];
      if
      :: k == 2 ->
        /* FastAttempt.lookUp */
        if
        :: storeAt(s, O * 2 + X) == BIRTH -> reply[2] = APPLIED
        :: else ->
          superseded[s] = (PLANTED(LOOKUP_FORGOTTEN) -> superseded[s] : LOOKED_UP);
          reply[2] = (answers(s) -> (start[O] < safeKnown[s] -> TOO_OLD : NOT_APPLIED) : NO_REPLY)
        fi;
        attempt[2] = 2
      :: k < 2 && !gateAt(s) -> reply[k] = ELSEWHERE; attempt[k] = 2
      :: k < 2 && gateAt(s) ->
        clock[s] = MAX(clock[s], start[O]);
        if
        :: start[O] < safeKnown[s] && !PLANTED(ONE_REGION_BELOW_SAFE_POINT) -> reply[k] = (k == 0 -> NOT_APPLIED : TOO_OLD); attempt[k] = 2
        :: superseded[s] == LOOKED_UP || (superseded[s] == REPEATED && k == 0) -> attempt[k] = 2   /* nobody waits for this answer */
        :: k == 0 && superseded[s] == 0 && attemptKnows[0] < openTickAt(s) && !PLANTED(ANY_OPENING) ->
          reply[0] = (answers(s) -> NOT_APPLIED : NO_REPLY); attempt[0] = 2
        :: else ->
          superseded[s] = (k == 1 && !PLANTED(SUPERSEDED_FORGOTTEN) -> REPEATED : superseded[s]);
          if
          :: k == 1 && storeAt(s, O * 2 + X) == BIRTH && !PLANTED(ID_IGNORED) -> reply[1] = APPLIED; attempt[1] = 2
          :: k == 1 && !(storeAt(s, O * 2 + X) == BIRTH && !PLANTED(ID_IGNORED)) && attemptKnows[1] < openTickAt(s) &&
             !PLANTED(REPETITION_ANY_OPENING) ->
            oTold = MAX(oTold, openTickAt(s)); reply[1] = ELSEWHERE; attempt[1] = 2
          :: else ->
            if
            :: oConflict(s) || oIntent(s) -> reply[k] = (answers(s) -> NOT_APPLIED : NO_REPLY); attempt[k] = 2
            :: else ->
              if
              :: !canDraw(s) -> reply[k] = ELSEWHERE; attempt[k] = 2
              :: else ->
                /* A stale server's append fails: the log is another's. */
                attempt[k] = (isStale(s) -> 4 : 3);
#ifdef ONE_REGION_READS
                oLooked = 0;
                if
                :: !isStale(s) && PLANTED(LOOKS_THEN_DRAWS) && !oReadsChanged -> attempt[k] = 5
                :: else
                fi;
#endif
                if
                :: attempt[k] == 5 -> flight[O] = s + 1   /* its row is locked */
                :: attempt[k] == 3 -> HOLDS(A1, commitAt[O] == 0); draw(O, s)
                :: else
                fi
              fi
            fi
          fi
        fi
      fi;
      s = 0
    }
#ifdef ONE_REGION_READS
  :: d_step { attempt[k] == 5 -> attempt[k] = 3; oLooked = 1; s = flight[O] - 1; draw(O, s); s = 0 }
  :: d_step { attempt[k] == 3 && !oLooked ->
      if
      :: oReadsChanged -> attempt[k] = 2; reply[k] = NOT_APPLIED; flight[O] = 0; version[O] = start[O]
      :: else -> oLooked = 1
      fi }
  :: d_step { attempt[k] == 3 && oLooked -> oLooked = 0; attempt[k] = 2; reply[k] = APPLIED; land(O) }
#else
  :: d_step { attempt[k] == 3 -> attempt[k] = 2; reply[k] = APPLIED; land(O) }
#endif
  :: d_step { attempt[k] == 4 -> attempt[k] = 2; zombie = 0 }
  od
}

/* OneRegionCommitter: an attempt, its repetition, the question. */
#define oCommitted told[O] = 1; HOLDS(O1, commitAt[O] != 0)
#define oNever toldNot[O] = 1; HOLDS(O1, commitAt[O] == 0)

proctype Committer() {
  if
  :: d_step { issues(0) -> begin(O, 0) }
#ifdef FAILOVER
  :: d_step { issues(1) -> begin(O, 1) }
#endif
  fi;
  d_step { attemptAt[0] = place; attemptKnows[0] = start[O]; attempt[0] = 1 };
  if
  :: d_step { reply[0] == APPLIED -> oCommitted }; goto done
  :: d_step { reply[0] == NOT_APPLIED || reply[0] == ELSEWHERE -> oNever }; goto done
  :: skip                          /* lost */
  fi;
again:
  /* To where the region is, or was. */
  if
  :: attemptAt[1] = place
  :: zombie -> attemptAt[1] = 0
  fi;
  d_step { attemptKnows[1] = MAX(start[O], oTold); reply[1] = NO_REPLY; attempt[1] = 1 };
  if
  :: d_step { reply[1] == APPLIED -> oCommitted }; goto done
  :: d_step { reply[1] == NOT_APPLIED -> oNever }; goto done
  :: atomic { reply[1] == ELSEWHERE -> goto again }
  :: reply[1] == TOO_OLD
  :: skip                          /* lost, too */
  fi;
  if
  :: attemptAt[2] = place
  :: zombie -> attemptAt[2] = 0
  fi;
  d_step { attempt[2] = 1 };
  if
  :: d_step { reply[2] == APPLIED -> oCommitted }
  :: d_step { reply[2] == NOT_APPLIED -> oNever }
  :: reply[2] == TOO_OLD           /* unknown */
  fi;
done:
  skip
}
#endif

/* ================= The reader ================= */

#ifdef READER
bit rAt;                           /* the server that it asks */
bit rStale;
byte rFloor;
byte reads;
byte wanted;                       /* the place */
byte blocker;                      /* 1 + the transaction whose intent is in the way */
byte view[10];                     /* SCAN: what the scanner's read point shows */
bit viewed;

#define rInFlight(a, p, s) (flight[a] == s + 1 && writes(a, p) && version[a] < rSnapshot)
#define rClear(p, s) (!rInFlight(O, p, s) && !rInFlight(F, p, s) && !rInFlight(G, p, s))
#ifdef SCAN
#define rWaits(p, s) (rClear(p, s) && (rClear(1 - p, s) || PLANTED(SCAN_WAITS_FOR_ROW)))
#else
#define rWaits(p, s) rClear(p, s)
#endif
#ifdef SCAN
#define rCell(k) view[k]
#else
#define rCell(k) (rStale -> stale[k] : cell[k])
#endif

/* FamilyView: from new to old, the first that is visible. */
inline look(p) {
  val = 0;
  blocker = 0;
  high = 0;
  i = 0;
  do
  :: i < ACTORS ->
    if
    :: i <= U && rCell(i * 2 + p) == PENDING && start[i] < rSnapshot && judged[i] == 0 -> blocker = i + 1
    :: else
    fi;
    if
    :: (shownBelow(rCell(i * 2 + p), i, rSnapshot) || (i <= U && rCell(i * 2 + p) == PENDING && judged[i] == SEEN)) &&
       shownVersion(rCell(i * 2 + p), i) > high ->
      high = shownVersion(rCell(i * 2 + p), i); val = i + 1
    :: else
    fi;
    i++
  :: else -> break
  od;
  i = 0;
  high = 0
}

#define N1_HOLDS(a) (!told[a] || commitAt[a] < rSnapshot)

proctype Reader() {
  if
  :: d_step { issues(0) -> last[0]++; rSnapshot = last[0] * TICK;
      HOLDS(N1, over || (N1_HOLDS(T) && N1_HOLDS(U) && N1_HOLDS(O) && N1_HOLDS(F) && N1_HOLDS(G)));
#ifdef HOLD
      isHolding = !over; held[0] = !over
#endif
    }
#ifdef FAILOVER
  :: d_step { issues(1) -> last[1]++; rSnapshot = last[1] * TICK; rFloor = FIRST * TICK; rNewest = 1;
      HOLDS(N1, N1_HOLDS(T) && N1_HOLDS(U) && N1_HOLDS(O) && N1_HOLDS(F) && N1_HOLDS(G));
#ifdef HOLD
      isHolding = 1; held[1] = 1
#endif
    }
#endif
  fi;

next:
  if
  :: reads == READS -> goto done
  :: reads < READS -> wanted = X
  :: reads < READS -> wanted = Y
  fi;

ask:
  /* ReadAdmission.admit: the floor is known and the clock raised before the row is read. */
#ifdef SCAN
  if
  :: viewed -> goto batch
  :: else
  fi;
#endif
  if
  :: d_step { ready(wanted) && floorKnown[host(wanted)] >= rFloor -> rAt = host(wanted); rStale = 0;
      if
      :: !PLANTED(BUMP_AFTER_READ) -> clock[rAt] = MAX(clock[rAt], rSnapshot)
      :: else
      fi }
#ifdef ZOMBIE
  :: d_step { zombie && inMoving(wanted) && floorKnown[0] >= rFloor -> rAt = 0; rStale = 1;
      clock[0] = MAX(clock[0], rSnapshot) }
#endif
  fi;
  if
  :: PLANTED(SAFE_POINT_BEFORE_READ) && rSnapshot < safeKnown[rAt] -> goto done
  :: else
  fi;

  /* Writes in flight are waited for; then the row is read. */
  if
  :: d_step { (rStale -> zombie : host(wanted) == rAt && ready(wanted)) && (rWaits(wanted, rAt) || PLANTED(READ_WITHOUT_WAITING)) ->
#ifdef SCAN
      i = 0;
      do
      :: i < 10 -> view[i] = (cell[i] == ARRIVED -> ABSENT : cell[i]); i++
      :: else -> break
      od;
      i = 0;
      viewed = 1;
#endif
      look(wanted);
      if
      :: PLANTED(BUMP_AFTER_READ) && !blocker -> clock[rAt] = clock[rAt]
      :: else
      fi
    }
  :: atomic { (rStale -> !zombie : host(wanted) != rAt) -> goto ask }
  fi;
#ifdef SCAN
  goto after;
batch:
  skip;
  d_step { look(wanted) };
after:
#endif
  if
  :: blocker == T + 1 -> resolve(T, rSnapshot, rFloor, judged[T]); blocker = 0;
    if
    :: PLANTED(ABSENT_NO_REREAD) && judged[T] == INVISIBLE
    :: else -> viewed = 0; goto ask
    fi
  :: blocker == U + 1 -> resolve(U, rSnapshot, rFloor, judged[U]); blocker = 0; viewed = 0; goto ask
  :: else
  fi;

  /* ReadAdmission.requireHolds, and the answer. */
  if
  :: d_step { (rStale -> zombie && PLANTED(ZOMBIES_ANSWER) : host(wanted) == rAt) &&
              (rSnapshot >= safeKnown[rAt] || PLANTED(SAFE_POINT_BEFORE_READ)) ->
      clock[rAt] = MAX(clock[rAt], rSnapshot);
      truth(wanted, rSnapshot, was);
      HOLDS(S2, val == was);
      was = 0;
      HOLDS(S2, got[wanted] == 0 || got[wanted] == val + 1);
#ifdef SAVEPOINT
      HOLDS(S3, !(wanted == X && val == T + 1 && rollsBack && second && !rolledBack));
#endif
      got[wanted] = val + 1;
      val = 0;
      reads++ };
    goto next
  :: d_step { rSnapshot < safeKnown[rAt] && !PLANTED(SAFE_POINT_BEFORE_READ) -> HOLDS(H1, !isHolding) }; goto done
  :: atomic { (rStale || host(wanted) != rAt) -> viewed = 0; goto ask }
  fi;
done:
  skip
}
#endif

init {
#ifndef MISTAKE
  c_code { mistake = getenv("MISTAKE") ? atoi(getenv("MISTAKE")) : 0; };
#endif
  d_step {
    last[0] = 1;
    last[1] = FIRST - 1;
    clock[0] = TICK;
    clock[1] = TICK
  };
  atomic {
    run World();
#ifdef TICKING
    run Ticks(0);
    run Ticks(1);
#endif
#if defined(WRITER) || defined(RIVAL)
    run Validation();
    run Settling();
#endif
#ifdef WRITER
    run Regular(T);
#endif
#ifdef RIVAL
    run Regular(U);
#endif
#ifdef HEALER
    run Healer();
#endif
#ifdef FAST
    run Session();
#endif
#ifdef SCANNER
    run Scanner();
#endif
#ifdef ONE_REGION
    run Attempt(0);
    run Attempt(1);
    run Attempt(2);
    run Committer();
#endif
#ifdef READER
    run Reader();
#endif
  }
}
