/*
 * What a client that is not trusted can do with the proofs of the protocol (protocol.md, section 13).
 *
 * One honest transaction of two rows: its leader in table A, its follower in table B. Two transaction
 * managers: the second takes over unplanned, at any time, and knows nothing; the first answers for
 * ever. A reader on the side of the honest client, and a stranger: it has seen the start timestamp,
 * owns a transaction and a table (C) of its own, has READ and WRITE on some column of A and B, and
 * sends any request with any proof that any client was ever given, at any time and as often as it
 * likes. It cannot make a proof, and never has the grant of the honest transaction.
 *
 * Proofs are bits: whether one exists is the same as whether the stranger has it, but for the grant.
 * A row's server decides under the row's lock, so each decision is one step. Each actor may stop, or be
 * late, at every step. A leader that is FINAL may be collected; then a healer ends what is pending.
 *
 * Mistakes (-D): VALIDATE_UNOWNED  the transaction manager validates without a grant
 *                FLUSH_UNOWNED     a region server writes in a transaction without its grant
 *                COMMIT_UNPROVED   commits a leader without `pass`
 *                FINISH_UNPROVED   makes a leader FINAL without grant and `healed`
 *                HEAL_UNPROVED     heals a follower without `fate`
 *                HEAL_BY_ANY_FATE  checks the tag, not that start and place are the follower's
 *                JUDGMENT_UNPROVED shows what the reader says has committed
 *                FATE_UNPROVED     states the commit of a leader that shows no `pass`
 *                FATE_FROM_PENDING states the fate of a leader that has passed, and is not committed
 *                DECIDED_AGAIN     commits a leader that is aborted
 *                REACH_TAKEOVER    shows that `pass` and `void` of one transaction can both exist
 *                REACH_JUDGMENT    shows that the stranger reads what has committed
 */

#define ABSENT 0
#define PENDING 1
#define COMMITTED 2
#define FINAL 3
#define ABORTED 4

#define NOBODY 0
#define OWNER 1
#define STRANGER 2

byte leader = ABSENT;           /* of the honest transaction, in A */
byte follower = ABSENT;         /* in B; names the leader in A */
byte outcome = PENDING;         /* what the leader was first decided to be; kept when it is collected */
byte asked;                     /* who has had the transaction validated */
bool complete;                  /* the owner has written all that it wants committed */
bool spoilt;                    /* somebody else has written in its name */
bool safe;                      /* the safe point is above the transaction */

bool decided;                   /* at the first transaction manager */
bool taken_over;

/* Proofs that exist. */
bool pass;                      /* pass(S, c) */
bool voided;                    /* void(S) */
bool healed;                    /* healed(S, c) */
bool fate_committed;            /* fate(S, A, c) */
bool fate_aborted;              /* fate(S, A, aborted) */
                                /* fate(H, C, c) and fate(H, C, aborted): the stranger makes its leader as it likes */

/* The first transaction manager: by a decision, once. */
inline validate(who) {
  if
#ifndef VALIDATE_UNOWNED
  :: who != OWNER -> skip
#endif
  :: else ->
    if
    :: decided || safe -> skip
    :: else ->
      decided = true;
      if
      :: pass = true; asked = who
      :: voided = true
      fi
    fi
  fi
}

/* The second one knows nothing, and the transaction is below its floor. The first one, of what is undecided and below the safe point. */
inline status() {
  if
  :: taken_over || (safe && !decided) -> voided = true
  :: else
  fi
}

inline state_fate() {
  if
  :: leader == COMMITTED || leader == FINAL -> fate_committed = true
  :: leader == ABORTED -> fate_aborted = true
  :: else ->
#ifdef FATE_FROM_PENDING
    if
    :: leader == PENDING && pass -> fate_committed = true
    :: else
    fi
#else
    skip
#endif
  fi
}

/*
 * Asked while a leader is stored that came past the region server: by a user who alters table A, or loads a file
 * there, and puts back what was there. It says COMMITTED and shows no `pass`. (One that shows a true one is that
 * user's to write: not defended.)
 */
inline state_forged() {
#ifdef FATE_UNPROVED
  fate_committed = true
#else
  skip
#endif
}

inline flush(who) {
  if
#ifndef FLUSH_UNOWNED
  :: who != OWNER -> skip
#endif
  :: else ->
    if
    :: who == STRANGER && (leader == PENDING || follower == PENDING) -> spoilt = true
    :: else
    fi
  fi;
  assert(!spoilt || outcome != COMMITTED) /* V3: what commits is what its owner wrote */
}

inline commit_leader() {
  if
#ifndef COMMIT_UNPROVED
  :: !pass -> skip
#endif
  :: else ->
    if
#ifdef DECIDED_AGAIN
    :: leader == PENDING || leader == ABORTED ->
#else
    :: leader == PENDING ->
#endif
      leader = COMMITTED;
      assert(outcome == PENDING); /* D1: decided once */
      outcome = COMMITTED;
      assert(asked == OWNER && complete); /* P1: committed as its owner asked */
      assert(!spoilt) /* V3: what commits is what its owner wrote */
    :: else
    fi;
    state_fate()
  fi
}

/* By its owner, by `void`, or by any client when it is old, which may be at any time. */
inline abort_leader() {
  if
  :: leader == PENDING -> leader = ABORTED; outcome = ABORTED
  :: else
  fi;
  state_fate()
}

inline finish_leader(who) {
  if
#ifndef FINISH_UNPROVED
  :: who != OWNER && !healed -> skip
#endif
  :: else ->
    if
    :: leader == COMMITTED -> leader = FINAL
    :: else
    fi
  fi
}

/* proved: there is such a tag; own: it is of the start and the place that the follower names. */
inline heal(fate, proved, own) {
  if
#ifndef HEAL_UNPROVED
  :: !(proved) -> skip
#endif
#ifndef HEAL_BY_ANY_FATE
  :: !(own) -> skip
#endif
  :: else ->
    if
    :: follower == PENDING ->
      follower = fate;
      assert(fate == outcome) /* D2: its leader's fate */
    :: else
    fi
  fi
}

inline judged(proved) {
  if
#ifndef JUDGMENT_UNPROVED
  :: !(proved) -> skip
#endif
  :: else ->
    if
    :: follower == PENDING ->
      assert(outcome == COMMITTED); /* J1: no client sees what has not committed */
#ifdef REACH_JUDGMENT
      assert(false) /* R6: a stranger is shown what has committed */
#endif
    :: else
    fi
  fi
}

active proctype Owner() {
  byte told = PENDING;
  atomic { leader = PENDING };
  atomic { follower = PENDING; complete = true };
  if
  :: atomic { true; validate(OWNER) };
    if
    :: atomic { pass && asked == OWNER -> commit_leader() }
    :: atomic { !(pass && asked == OWNER) -> abort_leader() }
    fi
  :: atomic { complete = false; abort_leader() }
  fi;
  atomic { told = outcome };
  if
  :: told == COMMITTED ->
    atomic { heal(COMMITTED, fate_committed, true) };
    atomic { finish_leader(OWNER) }
  :: else -> atomic { heal(ABORTED, fate_aborted, true) }
  fi;
  assert(told == outcome) /* O1: what was told is the outcome */
}

/* A client that meets the follower and finishes what it can. */
active proctype Reader() {
  atomic { follower == PENDING -> status() };
  if
  :: atomic { pass -> commit_leader() }
  :: atomic { voided -> abort_leader() }
  :: atomic { true; state_fate() }
  fi;
  if
  :: atomic { fate_committed -> heal(COMMITTED, true, true) }
  :: atomic { fate_aborted -> heal(ABORTED, true, true) }
  fi
}

/* The region servers' healer, and their collection. */
active proctype Server() {
  if
  :: atomic { leader == COMMITTED && follower == COMMITTED -> healed = true; finish_leader(NOBODY) }
  :: safe
  fi;
  safe = true;
  atomic { leader == FINAL -> leader = ABSENT };
  /* Absent below the safe point: it has not committed, or every follower was healed before FINAL. */
  atomic { follower == PENDING -> heal(ABORTED, true, true) }
}

active proctype Takeover() {
  taken_over = true;
#ifdef REACH_TAKEOVER
  atomic { pass && voided -> assert(false) /* R5: pass and void of one transaction */ }
#endif
}

active proctype Stranger() {
  do
  :: atomic { leader == PENDING -> validate(STRANGER) }
  :: atomic { true; status() }
  :: atomic { true; flush(STRANGER) }
  :: atomic { leader != ABSENT -> commit_leader() }
  :: atomic { leader == PENDING -> abort_leader() }
  :: atomic { true; state_fate() }
  :: atomic { true; state_forged() }
  :: atomic { true; finish_leader(STRANGER) }
  :: atomic { true; heal(COMMITTED, fate_committed, true) }
  :: atomic { true; heal(ABORTED, fate_aborted, true) }
  :: atomic { true; heal(COMMITTED, true, false) }
  :: atomic { true; heal(ABORTED, true, false) }
  :: atomic { true; judged(fate_committed) }
  :: safe = true
  od
}
