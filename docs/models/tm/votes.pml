/*
 * Votes of validators, and buckets that are owned by time: no transaction commits between start and commit
 * timestamp of another one that has checked what it records.
 *
 * The primary issues timestamps and keeps the map: for each bucket its eras, an era being the timestamps from
 * `since` to the next era of the bucket. A transaction is assigned its commit timestamp under the present version
 * of the map, asks every validator of which an era meets (start, commit], and commits if all of them say yes.
 * Validators A and B know their tables and their incarnation, nothing else. The primary is a validator, too: its
 * vote is part of the assignment.
 *
 * Transactions begin in the order of their numbers, but choose what they check and record as late as possible:
 * so nothing is lost by symmetry. Each hash lies in a bucket of its own.
 *
 * More is possible here than in the product, where that makes the model smaller:
 *   - An assigned transaction asks any validator at any moment and for ever, by any version of the map since that
 *     of its assignment: votes come in any order, are lost, repeated and late. A no is forgotten, a yes is not. Only
 *     by a version in which an era that it needs is lost it asks none.
 *   - It commits in the step that brings the last yes; nothing ever aborts it. No other process can tell.
 *   - An entry may be evicted at any moment: a table of any size, with any choice of what goes first. Only a
 *     vote can tell, so evictions are part of the step of a vote.
 * A process that has died is one that is not scheduled. Left out: the flush, certification, readers (the order of
 * the assignment after the flush is whole.pml's business), and commit timestamps ahead of need.
 *
 * A vote leaves in `checked` all that it checks, for writes, too: at level CELL a put records (row, family, ANY)
 * without checking it, and checks (row, family, DEL) without recording it, and the two may have different
 * validators (READS_ONLY).
 *
 * That a transaction recognizes its own commit timestamp is no matter of safety: without it a repeated vote is
 * refused, and a transaction whose answer was lost aborts (flag OWN_UNRECOGNIZED: the model holds).
 */

#ifndef TRANSACTIONS
#define TRANSACTIONS 2
#endif
#ifndef HASHES
#define HASHES 1
#endif
#ifndef MOVES
#define MOVES 0        /* changes of the map in an epoch */
#endif
#define VERSIONS (MOVES + 1)
#ifdef TAKEOVER
#define EPOCHS 2
#define BOUND (2 * TRANSACTIONS + MOVES) /* of epoch 1: the old primary needs no timestamp above it */
#ifdef BOUND_IGNORED
#define FIRST 3
#else
#define FIRST (BOUND + 1) /* the first timestamp of epoch 2 */
#endif
#else
#define EPOCHS 1
#endif

/* Validators. */
#define NONE 0
#define A 1
#define B 2
#define PRIMARY 3      /* of the first epoch; that of the second one has a table of its own */
#define ENDLESS 255

/* What a transaction does with a hash (ConflictKeys). */
#define NOTHING 0
#define READ 1         /* checks it, for a read */
#define WRITE 2        /* checks and records it */
#define CHECK 3        /* checks it, for a write: (row, family, DEL) of a put, a fence */
#define RECORD 4       /* records it: (row, family, ANY) of a put */

#define checks(how) (how == READ || how == WRITE || how == CHECK)
#define records(how) (how == WRITE || how == RECORD)

/* ---- Primaries: by epoch, and by epoch and version of the map ---- */

typedef Change {
  byte since;
  byte owner[HASHES];  /* NONE: this version does not change the bucket */
  byte gone;           /* validator that is given up: its eras are lost from this version on */
  bit incarnation;     /* of A, as the primary knows it */
}

bit taken;             /* the second primary leads; the first one answers on */
byte floor;
byte last[EPOCHS];     /* TimestampAllocator.last */
byte version[EPOCHS];
Change map[EPOCHS * VERSIONS];

/* ---- Validators ---- */

typedef Validator {
  byte written[HASHES]; /* highest commit timestamp that has recorded it */
  byte checked[HASHES]; /* highest commit timestamp that has checked it */
  byte low;             /* highest that was evicted from `written` */
  byte checkedLow;      /* and from `checked` */
}

Validator validator[PRIMARY + EPOCHS];
bit incarnation;       /* of A, which may start again, once */

/* ---- Transactions ---- */

typedef Transaction {
  byte start;
  byte commit;
  bit epoch;           /* of the map under which it was assigned */
  byte version;
  byte how[HASHES];
  byte yes;            /* a bit for each validator */
  bit committed;
}

Transaction tx[TRANSACTIONS];

/* ---- Variables of a single step, which forgets them at its end ---- */

byte asked;     /* validators of which an era meets (start, commit] */
byte mine;      /* hashes about which one of them is asked */
byte from;      /* since when it must know all */
byte end;
byte since;
byte other;
bool blind;     /* an era that is needed is lost or not known */
bool meets;
bool lost;
bool no;
bool reads;
bool writes;
short h;
short k;
short w;

inline forget() {
  asked = 0;
  mine = 0;
  from = 0;
  end = 0;
  since = 0;
  other = 0;
  blind = false;
  meets = false;
  lost = false;
  no = false;
  reads = false;
  writes = false;
  h = 0;
  k = 0;
  w = 0
}

inline issue(e, variable) {
  last[e]++;
  variable = last[e]
}

#ifdef TAKEOVER
#define may_issue(e) ((e == 0 && last[0] < BOUND) || (e == 1 && taken))
#else
#define may_issue(e) true
#endif

/* The rule of eras: whom t asks by version m of the map of epoch e, and about what and since when it asks v. */
inline consult(t, e, m, v) {
  asked = 0;
  mine = 0;
  blind = false;
#ifdef FROM_HIGHEST
  from = 0;
#else
  from = ENDLESS;
#endif
  h = 0;
  do
  :: h < HASHES ->
     if
     :: tx[t].how[h] != NOTHING ->
        end = ENDLESS;
        k = m;
        do
        :: k >= 0 ->
           if
           :: map[e * VERSIONS + k].owner[h] != NONE ->
              since = map[e * VERSIONS + k].since;
              other = map[e * VERSIONS + k].owner[h];
              meets = since <= tx[t].commit && end > tx[t].start + 1;
#ifdef OLD_NOT_ASKED
              meets = meets && end > tx[t].commit;
#endif
#ifdef NEW_NOT_ASKED
              meets = meets && since <= tx[t].start;
#endif
              if
              :: meets ->
                 asked = asked | (1 << other);
                 lost = false;
                 w = k + 1;
                 do
                 :: w <= m -> lost = lost || map[e * VERSIONS + w].gone == other; w++
                 :: else -> break
                 od;
#ifndef ERA_KEPT
                 blind = blind || lost;
#endif
                 if
                 :: other == v ->
                    mine = mine | (1 << h);
                    if
                    :: since < tx[t].start -> since = tx[t].start
                    :: else
                    fi;
                    if
#ifdef FROM_HIGHEST
                    :: since > from -> from = since
#else
                    :: since < from -> from = since
#endif
                    :: else
                    fi
                 :: else
                 fi
              :: else
              fi;
              end = map[e * VERSIONS + k].since
           :: else
           fi;
#ifdef DROPPED
           /* only the present era is left in the map */
           if
           :: end != ENDLESS -> k = -1
           :: else -> k--
           fi
#else
           k--
#endif
        :: else -> break
        od;
#ifndef DROPPED_UNNOTICED
        blind = blind || end > tx[t].start + 1
#endif
     :: else
     fi;
     h++
  :: else -> break
  od
}

/* Whether v has recorded what the check of h by t must not find, or has had checked what a record must not change. */
#ifdef OWN_UNRECOGNIZED
#define in_conflict(t, v) (checks(tx[t].how[h]) && validator[v].written[h] > tx[t].start)
#else
#define in_conflict(t, v) \
  (checks(tx[t].how[h]) && validator[v].written[h] > tx[t].start && validator[v].written[h] != tx[t].commit)
#endif
#ifdef PRIMARY_WITHOUT_LAST_READ
#define late(t, v) (records(tx[t].how[h]) && v < PRIMARY && validator[v].checked[h] > tx[t].commit)
#else
#define late(t, v) (records(tx[t].how[h]) && validator[v].checked[h] > tx[t].commit)
#endif

/* What v says to the vote of t that consult has made: `no`, or everything is recorded. */
inline judge(t, v) {
  no = !(asked & (1 << v));
  reads = false;
  writes = false;
  h = 0;
  do
  :: h < HASHES -> reads = reads || tx[t].how[h] == READ; h++
  :: else -> break
  od;
  h = 0;
  do
  :: h < HASHES ->
     if
     :: mine & (1 << h) ->
        writes = writes || records(tx[t].how[h]);
        no = no || in_conflict(t, v);
#ifdef SNAPSHOT_WRITERS_PASS
        no = no || (reads && late(t, v))
#else
#ifndef NO_LAST_READ
        no = no || late(t, v)
#endif
#endif
     :: else
     fi;
     h++
  :: else -> break
  od;
#ifndef NO_LOW
  no = no || from < validator[v].low;
#endif
#ifndef NO_READ_LOW
  no = no || (writes && tx[t].commit <= validator[v].checkedLow);
#endif
  if
  :: !no ->
     tx[t].yes = tx[t].yes | (1 << v);
     h = 0;
     do
     :: h < HASHES ->
        if
        :: (mine & (1 << h)) && records(tx[t].how[h]) && validator[v].written[h] < tx[t].commit ->
           validator[v].written[h] = tx[t].commit
        :: else
        fi;
        if
#ifdef READS_ONLY
        :: (mine & (1 << h)) && tx[t].how[h] == READ && validator[v].checked[h] < tx[t].commit ->
#else
        :: (mine & (1 << h)) && checks(tx[t].how[h]) && validator[v].checked[h] < tx[t].commit ->
#endif
           validator[v].checked[h] = tx[t].commit
        :: else
        fi;
        h++
     :: else -> break
     od
  :: else
  fi
}

#define overlaps(t, u) (tx[t].start < tx[u].commit && tx[u].commit < tx[t].commit)

inline compare(one, two) {
  h = 0;
  do
  :: h < HASHES ->
     if
     :: overlaps(one, two) && records(tx[two].how[h]) ->
        assert(tx[one].how[h] != READ); /* Z1: nothing that it has read is written between start and commit */
        assert(!checks(tx[one].how[h])); /* F1: of two that overlap and write the same one commits */
     :: else
     fi;
     h++
  :: else -> break
  od
}

/* Commits t if all that it asks have said yes. */
inline commit_if_all(t) {
  if
  :: !blind && (asked & ~tx[t].yes) == 0 && !tx[t].committed ->
     tx[t].committed = true;
#ifdef REACH_STRADDLER
     assert((asked & 6) != 6); /* R9: a transaction of one hash commits although its bucket has moved */
#endif
     k = 0;
     do
     :: k < TRANSACTIONS ->
        if
        :: k != t && tx[k].committed ->
           compare(t, k);
           compare(k, t);
#ifdef REACH_OVERLAP
           assert(!overlaps(t, k) && !overlaps(k, t)); /* R10: two that do not conflict both commit */
#endif
#ifdef REACH_BOTH_EPOCHS
           assert(tx[t].epoch >= tx[k].epoch); /* R11: one of the old primary commits after one of the new primary */
#endif
        :: else
        fi;
        k++
     :: else -> break
     od
  :: else
  fi
}

/* What t does with a hash. */
inline choose_how(t) {
  i = 0;
  do
  :: i < HASHES ->
     if
     :: tx[t].how[i] = NOTHING
     :: tx[t].how[i] = READ
     :: tx[t].how[i] = WRITE
#ifdef ANY_KEYS
     :: tx[t].how[i] = CHECK
     :: tx[t].how[i] = RECORD
#endif
     fi;
     i++
  :: else -> break
  od;
  i = 0
}

/* Level CELL: the first hash is (row, family, ANY), the second one (row, family, DEL). */
inline choose_cell(t) {
  if
  :: tx[t].how[0] = RECORD; tx[t].how[1] = CHECK /* puts a column */
  :: tx[t].how[0] = WRITE; tx[t].how[1] = WRITE /* deletes the family */
  :: tx[t].how[1] = READ /* reads a column */
  :: tx[t].how[0] = READ; tx[t].how[1] = READ /* reads the family */
  fi
}

inline evict(v) {
#ifdef EVICTION
  i = 0;
  do
  :: i < HASHES ->
     if
     :: validator[v].written[i] != 0 -> d_step {
          if
          :: validator[v].written[i] > validator[v].low -> validator[v].low = validator[v].written[i]
          :: else
          fi;
          validator[v].written[i] = 0
        }
     :: true
     fi;
     if
     :: validator[v].checked[i] != 0 -> d_step {
          if
          :: validator[v].checked[i] > validator[v].checkedLow -> validator[v].checkedLow = validator[v].checked[i]
          :: else
          fi;
          validator[v].checked[i] = 0
        }
     :: true
     fi;
     i++
  :: else -> break
  od;
  i = 0
#else
  skip
#endif
}

inline choose_epoch(e) {
#ifdef TAKEOVER
  if
  :: e = 0
  :: taken -> e = 1
  fi
#else
  skip
#endif
}

#define begun(t) (tx[t].start != 0)
#define assigned(t) (tx[t].commit != 0)

proctype transaction(byte t) {
  byte e, f, m, v, i;
  do
  :: atomic { !begun(t) && (t == 0 || begun(t - 1)) ->
       choose_epoch(e);
       if
       :: may_issue(e) -> issue(e, tx[t].start)
       :: else
       fi;
       e = 0
     }
  :: atomic { begun(t) && !assigned(t) ->
       choose_epoch(e);
#ifdef CELL
       choose_cell(t);
#else
       choose_how(t);
#endif
       m = version[e];
#ifdef STALE_MAP
       do
       :: m > 0 -> m--
       :: break
       od;
#endif
       f = e;
#ifdef VERSION_REUSED
       /* Plants a mistake: maps of two primaries may have the same number. */
       if
       :: e == 1 && m <= version[0] -> f = 0
       :: true
       fi;
#endif
       evict(PRIMARY + e);
       d_step {
         if
#ifndef FLOOR_UNCHECKED
         :: e == 1 && tx[t].start < floor
#endif
#ifndef START_NOT_ISSUED
         :: e == 0 && tx[t].start > last[0] /* of the other primary */
#endif
         :: !may_issue(e)
         :: else ->
            tx[t].commit = last[e] + 1;
            tx[t].epoch = f;
            tx[t].version = m;
            consult(t, f, m, PRIMARY + e);
            no = false;
            if
            :: asked & (1 << (PRIMARY + e)) -> judge(t, PRIMARY + e)
            :: else
            fi;
            if
            :: no -> tx[t].commit = 0
            :: else -> last[e]++; commit_if_all(t)
            fi
         fi;
         if
         :: !assigned(t) -> /* refused: nothing was done */
            h = 0;
            do
            :: h < HASHES -> tx[t].how[h] = NOTHING; h++
            :: else -> break
            od;
            tx[t].epoch = 0;
            tx[t].version = 0
         :: else
         fi;
         forget()
       };
       e = 0;
       f = 0;
       m = 0
     }
  :: atomic { assigned(t) ->
       /* By which map: the same or a newer one. */
       e = tx[t].epoch;
       m = tx[t].version;
#ifdef MEMORY_FIRST
       m = 0;
#endif
#ifdef TAKEOVER
       if
       :: e == 0 && taken -> e = 1; m = 0
       :: true
       fi;
#endif
       do
       :: m < version[e] -> m++
       :: break
       od;
       if
       :: v = A
       :: v = B
       fi;
       evict(v);
       d_step {
         consult(t, e, m, v);
#ifndef INCARNATION_IGNORED
         /* What was meant for its former self it does not answer. */
         if
         :: v == A && map[e * VERSIONS + m].incarnation != incarnation -> asked = 0; blind = true
         :: else
         fi;
#endif
         if
         :: blind -> asked = 0 /* it cannot tell, and asks none */
         :: else
         fi;
         judge(t, v);
         commit_if_all(t);
         forget()
       };
       e = 0;
       m = 0;
       v = 0
     }
  od
}

inline choose_owner(variable, e) {
  if
  :: variable = A
  :: variable = B
#ifdef PRIMARY_OWNS
  :: variable = PRIMARY + e
#endif
  fi
}

/* The owner of a bucket in the present map of epoch e. */
inline present_owner(e, bucket) {
  other = NONE;
  k = version[e];
  do
  :: k >= 0 && other == NONE -> other = map[e * VERSIONS + k].owner[bucket]; k--
  :: else -> break
  od
}

proctype primary(byte e) {
  byte change, i, to, gone;
  byte taken_at;
  do
#ifdef F_EARLIER
  /* Plants a mistake: the timestamp is taken in one step, the map is changed in another one. */
  :: atomic { version[e] < MOVES && taken_at == 0 && may_issue(e) -> issue(e, taken_at) }
  :: atomic { version[e] < MOVES && taken_at != 0 ->
#else
  :: atomic { version[e] < MOVES && may_issue(e) ->
#endif
       change = e * VERSIONS + version[e] + 1;
       choose_owner(to, e);
       if
       :: true -> /* one bucket moves */
#if HASHES > 1
          if
          :: i = 0
          :: i = 1
          fi
#else
          i = 0
#endif
#ifdef SILENCE
       :: to != A -> gone = A /* a validator is given up: all of its buckets move */
       :: to != B -> gone = B
#endif
       fi;
       d_step {
         blind = true;
         h = 0;
         do
         :: h < HASHES ->
            present_owner(e, h);
            if
            :: other != to && ((gone == NONE && h == i) || (gone != NONE && other == gone)) ->
               map[change].owner[h] = to;
               map[change].gone = gone;
               blind = false
            :: else
            fi;
            h++
         :: else -> break
         od;
         if
         :: blind /* nothing changes */
         :: else ->
            version[e]++;
            map[change].incarnation = map[change - 1].incarnation;
            if
            :: map[change].gone == A -> map[change].incarnation = incarnation
            :: else
            fi;
#ifdef F_EARLIER
            map[change].since = taken_at;
            taken_at = 0
#else
#ifdef F_NOT_ISSUED
            map[change].since = last[e] + 1
#else
            issue(e, map[change].since)
#endif
#endif
         fi;
         forget()
       };
       change = 0;
       i = 0;
       to = 0;
       gone = 0
     }
  od
}

#ifdef TAKEOVER
proctype takeover() {
  byte i, to;
  atomic {
    taken = true;
#ifdef NO_FLOOR
    floor = 0;
#else
    floor = FIRST;
#endif
    last[1] = FIRST - 1;
    map[VERSIONS].since = floor;
#ifdef ERA_NOT_CUT
    map[VERSIONS].since = 0;
#endif
    map[VERSIONS].incarnation = incarnation;
    do /* The owners come from a hint, which may be old. */
    :: i < HASHES -> choose_owner(to, 1); map[VERSIONS].owner[i] = to; i++
    :: else -> break
    od;
    i = 0;
    to = 0
  }
}
#endif

#ifdef RESTART
proctype restart() {
  d_step {
    incarnation = 1;
    h = 0;
    do
    :: h < HASHES -> validator[A].written[h] = 0; validator[A].checked[h] = 0; h++
    :: else -> break
    od;
    validator[A].low = 0;
    validator[A].checkedLow = 0;
    forget()
  }
}
#endif

init {
  byte i, to;
  atomic {
    do
    :: i < HASHES -> choose_owner(to, 0); map[0].owner[i] = to; i++
    :: else -> break
    od;
    to = 0;
    i = 0;
    do
    :: i < TRANSACTIONS -> run transaction(i); i++
    :: else -> break
    od;
    run primary(0);
#ifdef TAKEOVER
    run primary(1);
    run takeover();
#endif
#ifdef RESTART
    run restart();
#endif
    i = 0
  }
}
