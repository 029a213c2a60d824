/*
 * Who may answer: lease, epoch, bound and hand-over of the transaction manager.
 *
 * Follows io.lampone.tm.core step by step; each part names the method that it models. What is left
 * out, and why that loses nothing, stands in ../README.md.
 *
 * A process that dies is one that is not scheduled any more: every schedule may stop at every step,
 * so death needs no step of its own. A pause is the same, only that it ends.
 *
 * Versions of the znode never repeat, so a version that somebody holds matters only as long as it is
 * the newest: one bit, cleared by every write. A CAS or a decision that rests on an older reading
 * can only come to nothing, hence whoever has the bit may look at the record itself.
 */

#ifndef NODES
#define NODES 3        /* processes of the TM */
#endif
#ifndef EPOCHS
#define EPOCHS 4       /* epochs explored */
#endif
#ifndef LIMIT
#define LIMIT 11       /* timestamps are explored below this */
#endif
#ifndef DECISIONS
#define DECISIONS 2    /* decisions explored under one floor */
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2     /* attempts at a planned hand-over */
#endif
#define AHEAD 2        /* ManagerSettings.boundAhead, in timestamps */

/*
 * Lease: the duration is 2 ticks, the margin on either side 1. A clock is slow by at most one tick in
 * the time that a primary measures, and fast by at most one in the time that a backup measures:
 * together that is what the two margins pay for, exactly.
 */
#ifdef NO_MARGIN
#define USABLE 2
#define PATIENCE 2
#else
#define USABLE 1       /* Lease.usableNanos */
#define PATIENCE 3     /* Lease.patience */
#endif

#define NOBODY 7

#define BACKUP 0
#define PRIMARY 1
#define RETIRED 2

/* A compare-and-set on its way, from RecordStore.compareAndSet to its answer. */
#define NONE 0
#define UNDER_WAY 1
#define APPLIED 2
#define LOST 3

#define TAKE 0         /* Backup.take */
#define RENEW 1        /* Primary.renew */
#define RELEASE 2      /* Primary.giveBack */
#define HAND_OVER 3    /* the release that names a successor and a transfer */

/* ---- The znode: protocol.tm.ManagerRecord ---- */

byte zEpoch = 1;
byte zHolder = 0;
bit  zReleased;
byte zSuccessor = NOBODY;
byte zTransfer;        /* the one-time id of the transfer that the successor may use; 0 = none */
#ifdef BOUNDS
byte zBound = 1 + AHEAD;
#else
byte zBound;
#endif
byte zFloor = 1;       /* the epoch in which the floor was last raised stands for the floor */

/* ---- Processes ---- */

typedef Process {
  byte role;

  bit knows;           /* the version that it holds is the newest: Primary.known, Backup.seen */

  /* The operation of the store that it waits for. */
  byte swap;
  byte kind;
  bit current;         /* UNDER_WAY: would be applied now; APPLIED: the version written is still the newest */
  bit planned;         /* TAKE: with the floor unchanged */
  byte newBound;

  /* One whose answer was given up, and which may still take effect. */
  bit lateSwap;
  byte lateKind;
  bit lateCurrent;
  bit latePlanned;
  byte lateBound;

  /* Backup. */
  byte quiet;          /* time since the record was first seen as it is: Backup.seenSinceNanos */
  bit hasted;          /* its clock has been fast in that time */
  byte gotId;          /* the transfer that it has, and whether it has all of it */
  byte gotCount;
  bit gotAll;

  /* Primary. */
  byte epoch;
  byte floor;
  byte last;           /* TimestampAllocator.last */
  byte bound;          /* TimestampAllocator.bound */
  byte lease;          /* what is left of the lease: Lease.isHeld */
  bit leaseSlow;       /* its clock has been slow in that time */
  byte renewal;        /* what will be left of it when the CAS under way is acknowledged */
  bit renewalSlow;
  bit inDoubt;
  bit silent;          /* it answers nobody any more: Primary.releasing, or handing over */
  byte table;          /* decisions that it knows: conflict table, memory, watermark, horizon */
  byte to;             /* the hand-over that it is at */
  byte id;
  byte bulkSent;       /* decisions that have left in bulk */
  bit deltaSent;
  bit acknowledged;
  bit written;         /* it has sent the CAS that releases to a successor */
}

Process p[NODES];

/* ---- The connection between primary and backup: the end of a transfer and its acknowledgement may be late or lost ---- */

byte deltaTo = NOBODY; byte deltaId; byte deltaFrom; byte deltaCount;
byte ackTo = NOBODY;   byte ackId;

byte attempts;         /* ids of transfers that have been given out: they never repeat */

/* ---- What an observer of everything sees; no process reads it ---- */

byte answeredEpoch;           /* the highest epoch that has answered */
#ifdef HAND_OVERS
byte decisions[EPOCHS + 1];   /* by floor: decisions made */
#endif
#ifdef BOUNDS
bool issued[LIMIT];           /* timestamps that have been issued, whether or not they left */
byte lastOf[EPOCHS + 1];      /* by epoch: the last one */
#endif

#define holdsLease(i) (p[i].role == PRIMARY && !p[i].silent && p[i].lease > 0)

#if NODES > 2
#define twoAnswer ((holdsLease(0) && holdsLease(1)) || (holdsLease(0) && holdsLease(2)) || (holdsLease(1) && holdsLease(2)))
#else
#define twoAnswer (holdsLease(0) && holdsLease(1))
#endif

/* Every version that anybody holds is an old one now. */
inline recordChanges() {
  for (k : 0 .. NODES - 1) {
    p[k].knows = 0;
    p[k].current = 0;
    p[k].lateCurrent = 0
  }
  k = 0
}

inline writeRecord(n, what, boundWritten, floorStays) {
  recordChanges();
  if
  :: what == TAKE ->
#ifdef HAND_OVERS
    if
    :: zReleased -> skip
    :: else -> p[zHolder].lease = 0  /* whoever takes over for want of renewal finds the lease over */
    fi;
#endif
    zEpoch++;
    zHolder = n;
    zReleased = 0;
    zSuccessor = NOBODY;
    zTransfer = 0;
    if
    :: floorStays -> skip
    :: else -> zFloor = zEpoch
    fi;
#ifndef TWO_WRITES                 /* the bound would follow with the first renewal */
    zBound = boundWritten;
#endif
    skip
  :: what == RENEW -> zBound = boundWritten
  :: what == RELEASE -> zReleased = 1
  :: what == HAND_OVER ->
    zReleased = 1;
    zSuccessor = p[n].to;
    zTransfer = p[n].id
  fi
}

/* The store carries out what is under way, at any time, if the version is still the expected one. */
inline carryOut(n) {
  if
  :: !p[n].current -> p[n].swap = LOST
  :: else ->
    writeRecord(n, p[n].kind, p[n].newBound, p[n].planned);
    p[n].swap = APPLIED;
    p[n].current = 1;
    if
    :: p[n].kind == TAKE ->
      p[n].epoch = zEpoch;
      p[n].floor = zFloor;
#ifdef HAND_OVERS
      p[n].lease = 1;
#endif
      skip
    :: else -> skip
    fi
  fi
}

/* What nobody waits for any more takes effect, or never arrives. */
inline carryOutLate(n) {
  if
  :: p[n].lateCurrent -> writeRecord(n, p[n].lateKind, p[n].lateBound, p[n].latePlanned)
  :: skip
  fi;
  p[n].lateSwap = 0; p[n].lateKind = 0; p[n].latePlanned = 0; p[n].lateBound = 0; p[n].lateCurrent = 0
}

proctype Store() {
  byte k;
end:
  do
  :: atomic { p[0].swap == UNDER_WAY -> carryOut(0) }
  :: atomic { p[0].lateSwap -> carryOutLate(0) }
  :: atomic { p[1].swap == UNDER_WAY -> carryOut(1) }
  :: atomic { p[1].lateSwap -> carryOutLate(1) }
#if NODES > 2
  :: atomic { p[2].swap == UNDER_WAY -> carryOut(2) }
  :: atomic { p[2].lateSwap -> carryOutLate(2) }
#endif
  od
}

#ifdef WALL_CLOCK_LEASE
#define maySlow(n) (1) /* somebody sets the clock back, again and again */
#else
#define maySlow(n) (!p[n].leaseSlow && !p[n].renewalSlow)
#endif

/*
 * A tick of real time. Every process's monotonic clock ticks too, except that it may be slow (its lease
 * and the renewal under way seem younger than they are) or fast (it seems to have waited longer).
 */
#ifdef CLOCKS
proctype Time() {
  byte n;
end:
  do
  :: atomic {
      n = 0;
      do
      :: n < NODES ->
        if
        :: p[n].lease > 0 || p[n].renewal > 0 || (p[n].role == BACKUP && p[n].quiet < PATIENCE) ->
          if
          :: p[n].lease > 0 -> p[n].lease--
          :: else -> skip
          fi;
          if
          :: p[n].renewal > 0 -> p[n].renewal--
          :: else -> skip
          fi;
          if
          :: p[n].lease == 0 -> p[n].leaseSlow = 0
          :: else -> skip
          fi;
          if
          :: p[n].renewal == 0 -> p[n].renewalSlow = 0
          :: else -> skip
          fi;
          if
          :: p[n].role == BACKUP && p[n].quiet < PATIENCE -> p[n].quiet++
          :: else -> skip
          fi
        :: (p[n].lease > 0 || p[n].renewal > 0) && maySlow(n) ->
          p[n].leaseSlow = (p[n].lease > 0);
          p[n].renewalSlow = (p[n].renewal > 0)
        :: p[n].role == BACKUP && p[n].quiet < PATIENCE - 1 && !p[n].hasted ->
          p[n].quiet = p[n].quiet + 2;
          p[n].hasted = 1;
          if
          :: p[n].renewal > 0 -> p[n].renewal--
          :: else -> skip
          fi
        :: else -> skip
        fi;
        n++
      :: else -> break
      od;
      n = 0
    }
  od
}
#endif

/* ---- Steps of a process ---- */

inline send(n, what, boundWanted, floorStays) {
  p[n].swap = UNDER_WAY;
  p[n].kind = what;
  p[n].current = p[n].knows;
  p[n].newBound = boundWanted;
  p[n].planned = floorStays;
  /* The lease runs from here, not from the answer. */
#ifdef CLOCKS
  p[n].renewal = USABLE;
#endif
  p[n].renewalSlow = 0
}

inline operationEnds(n) {
  p[n].swap = NONE; p[n].kind = 0; p[n].current = 0; p[n].newBound = 0; p[n].planned = 0;
  p[n].renewal = 0; p[n].renewalSlow = 0
}

/* The answer is lost, or given up while the CAS is still on its way. */
inline answerLost(n) {
  if
#ifndef NO_LATE
  :: p[n].swap == UNDER_WAY ->
    p[n].lateSwap = 1;
    p[n].lateKind = p[n].kind;
    p[n].lateCurrent = p[n].current;
    p[n].lateBound = p[n].newBound;
    p[n].latePlanned = p[n].planned
#endif
  :: else -> skip
  fi;
  operationEnds(n)
}

inline transferForgotten(n) {
  p[n].gotId = 0; p[n].gotCount = 0; p[n].gotAll = 0
}

inline handOverEnds(n) {
  p[n].to = NOBODY; p[n].id = 0; p[n].bulkSent = 0; p[n].deltaSent = 0; p[n].acknowledged = 0
}

/* ManagerNode.retire: nothing leads out of it, so what it knew does not matter any more. */
inline retires(n) {
  p[n].role = RETIRED;
  p[n].knows = 0; p[n].lease = 0; p[n].leaseSlow = 0; p[n].inDoubt = 0; p[n].silent = 0;
  p[n].last = 0; p[n].bound = 0; p[n].floor = 0; p[n].table = 0; p[n].epoch = 0;
  p[n].bulkSent = 0; p[n].deltaSent = 0; p[n].acknowledged = 0; p[n].written = 0;
  if
  :: p[n].lateSwap -> skip  /* what is still on its way names successor and transfer */
  :: else -> p[n].to = NOBODY; p[n].id = 0
  fi
}

#define mine(n) (zEpoch == p[n].epoch && zHolder == n && !zReleased)
#define idle(n) (p[n].swap == NONE)

/* Backup.onRead and mayTake. */
#ifdef FLOOR_STAYS
#define usable(n) (1)
#else
#ifdef FOREIGN_TRANSFER
#define usable(n) (zReleased && p[n].gotAll)
#else
#ifdef LEASE_OVER_IS_RELEASE
#define usable(n) (p[n].gotAll)
#else
#ifdef HALF_TRANSFER
#define usable(n) (zReleased && zSuccessor == n && zTransfer != 0 && zTransfer == p[n].gotId)
#else
#define usable(n) (zReleased && zSuccessor == n && zTransfer != 0 && zTransfer == p[n].gotId && p[n].gotAll)
#endif
#endif
#endif
#endif

#ifdef BOUNDS
#define mayExplore (zEpoch < EPOCHS && zBound + 1 + AHEAD < LIMIT)
#else
#define mayExplore (zEpoch < EPOCHS)
#endif

#ifdef CLOCKS
#define lapsed(n) (p[n].quiet >= PATIENCE)
#endif
#ifndef CLOCKS
#define lapsed(n) (1)
#endif
#define mayTake(n) (zReleased || zHolder == n || lapsed(n))

inline startLease(n) {
#ifdef CLOCKS
#ifdef LEASE_FROM_REPLY
  p[n].lease = USABLE;
  p[n].leaseSlow = 0;
#else
  p[n].lease = p[n].renewal;
  p[n].leaseSlow = p[n].renewalSlow;
#endif
  assert(!twoAnswer)                                 /* L1: at most one process may answer */
#else
  skip
#endif
}

inline lead(n) {
  p[n].role = PRIMARY;
  p[n].knows = p[n].current;
#ifdef BOUNDS
  p[n].bound = p[n].newBound;
  p[n].last = p[n].newBound - AHEAD - 1;
#endif
  startLease(n);
#ifdef REACH_HAND_OVER
  assert(!p[n].planned || p[n].gotCount < 2);          /* R1: a planned hand-over with all its decisions */
#endif
  if
  :: p[n].planned -> p[n].table = p[n].gotCount
  :: else -> p[n].table = 0
  fi;
  transferForgotten(n);
  p[n].quiet = 0;
  p[n].hasted = 0;
  operationEnds(n)
}

inline renewed(n) {
  p[n].knows = p[n].current;
  p[n].bound = p[n].newBound;
  startLease(n);
  operationEnds(n)
}

/* TimestampAllocator.next. */
inline issue(n) {
  p[n].last++;
  assert(!issued[p[n].last]);                        /* T1: no timestamp twice, lease or no lease */
  issued[p[n].last] = 1;
  for (k : 1 .. EPOCHS) {                            /* T2: a later epoch lies above every earlier one */
    assert(k >= p[n].epoch || lastOf[k] < p[n].last);
    assert(k <= p[n].epoch || lastOf[k] == 0 || p[n].last < lastOf[k])
  }
  k = 0;
  lastOf[p[n].epoch] = p[n].last
}

/* ValidatorCore.decide: allocation, conflict table and decision are one step. */
inline decide(n) {
  assert(p[n].table == decisions[p[n].floor]);       /* D1: whoever decides knows all decisions under its floor */
  decisions[p[n].floor]++;
  p[n].table++
}

inline answer(n) {
  assert(p[n].epoch >= answeredEpoch);               /* L2: no answer after a successor's */
  answeredEpoch = p[n].epoch
}

proctype Node(byte me) {
#ifdef BOUNDS
  byte k;
#endif
  bit mayAnswer;

end:
  do
  /* ================= Backup ================= */

  /* Backup.onRead: the record is not the one that was seen before. */
  :: atomic { p[me].role == BACKUP && idle(me) && !p[me].knows ->
      p[me].knows = 1;
      p[me].quiet = 0;
      p[me].hasted = 0
    }

  /* Backup.take: epoch, lease, bound and floor in one CAS. */
  :: atomic { p[me].role == BACKUP && idle(me) && p[me].knows && mayTake(me) && mayExplore ->
#ifdef BOUNDS
      if
#ifdef FIRST_FROM_WALL_CLOCK
      :: k = 1 /* a clock that is behind */
#else
      :: k = zBound + 1
#endif
      :: zBound + 2 + AHEAD < LIMIT -> k = zBound + 2 /* the wall clock is ahead */
      fi;
      send(me, TAKE, k + AHEAD, usable(me));
      k = 0
#else
      send(me, TAKE, 0, usable(me))
#endif
    }

  /* Backup.onSwap. */
  :: atomic { p[me].role == BACKUP && p[me].swap == APPLIED -> lead(me) }
  :: atomic { p[me].role == BACKUP && p[me].swap == LOST -> operationEnds(me) }
  :: atomic { p[me].role == BACKUP && !idle(me) && p[me].swap != LOST && (p[me].swap == APPLIED || !p[me].lateSwap) ->
      answerLost(me);
      p[me].epoch = 0; p[me].floor = 0; p[me].lease = 0
    }

#ifdef HAND_OVERS
  /* The end of a transfer arrives, late perhaps; not while a take is under way: what that rests on stays. */
  :: atomic { p[me].role == BACKUP && idle(me) && deltaTo == me ->
      if
      /* Count and checksum: the delta fits what has been received. */
      :: p[me].gotId == deltaId && p[me].gotCount == deltaFrom && !p[me].gotAll ->
        p[me].gotCount = deltaCount;
        p[me].gotAll = 1;
        ackTo = zHolder;
        ackId = deltaId
      :: else -> skip
      fi;
      deltaTo = NOBODY; deltaId = 0; deltaFrom = 0; deltaCount = 0
    }
#endif

  /* ================= Primary ================= */

  /* Primary.handle: compute. One step of the event loop, as long as the process is not paused. */
#ifdef SILENCE_FORGOTTEN
#define speaks(n) (1)
#else
#define speaks(n) (!p[n].silent)
#endif
#ifdef STILL_DECIDING
#define decides(n) (1)
#else
#define decides(n) (!p[n].silent)
#endif
#ifdef BOUNDS
  :: atomic { p[me].role == PRIMARY && p[me].last + 1 < p[me].bound -> issue(me) }
#endif
#ifdef HAND_OVERS
  :: atomic { p[me].role == PRIMARY && speaks(me) && p[me].lease > 0 -> answer(me) }
  :: atomic { p[me].role == PRIMARY && decides(me) && decisions[p[me].floor] < DECISIONS -> decide(me) }
#endif
#ifdef CLOCKS
  :: atomic { p[me].role == PRIMARY && speaks(me) -> mayAnswer = (p[me].lease > 0) };
    /* Here a pause may outlast the lease. Then the lease is checked, and the answer leaves. */
    atomic {
      if
#ifdef NO_CHECK
      :: true -> answer(me)
#else
#ifdef CHECK_BEFORE
      :: mayAnswer -> answer(me)
#else
      :: p[me].lease > 0 -> answer(me)
#endif
      :: else -> skip
#endif
      fi;
      mayAnswer = 0
    }
#endif

  /* Primary.renew: lease and bound together. The record's bound never goes back. */
#ifndef NO_RENEWALS
  :: atomic { p[me].role == PRIMARY && idle(me) && !p[me].inDoubt && !p[me].silent ->
#ifdef BOUNDS
      k = p[me].last + 1 + AHEAD;
      if
      :: !p[me].knows || k < zBound || k >= LIMIT -> k = zBound
      :: else -> skip
      fi;
      send(me, RENEW, k, 0);
      k = 0
#else
      send(me, RENEW, 0, 0)
#endif
    }
#endif

  /* Primary.onRenewed; Lease.renewedAt; TimestampAllocator.extendTo. */
  :: atomic { p[me].role == PRIMARY && p[me].swap == APPLIED && p[me].kind == RENEW -> renewed(me) }

  /* Primary.write: not applied, or nobody knows. Neither lease nor bound follows. */
  :: atomic { p[me].role == PRIMARY && p[me].swap == LOST -> operationEnds(me); p[me].inDoubt = 1 }
  :: atomic { p[me].role == PRIMARY && !idle(me) && p[me].swap != LOST && (p[me].swap == APPLIED || !p[me].lateSwap) ->
#ifdef BOUND_IN_DOUBT
      if
      :: p[me].kind == RENEW -> p[me].bound = p[me].newBound
      :: else -> skip
      fi;
#endif
      answerLost(me);
      p[me].inDoubt = 1
    }

  /* Primary.reread. */
  :: atomic { p[me].role == PRIMARY && idle(me) && p[me].inDoubt ->
      if
      :: mine(me) ->
        p[me].knows = 1;
        p[me].inDoubt = 0;
#ifdef LEASE_FROM_REREAD
        p[me].lease = USABLE;
        p[me].leaseSlow = 0;
        assert(!twoAnswer);
#endif
#ifdef RESUME_IN_DOUBT
        if
        :: p[me].written -> p[me].silent = 0; p[me].written = 0; handOverEnds(me)
        :: skip
        fi;
#endif
        skip
      :: else -> retires(me)
      fi
    }

  /* Primary.release and giveBack: silent at once, then the CAS, then retired whatever it says. */
  :: atomic { p[me].role == PRIMARY && idle(me) && !p[me].inDoubt && !p[me].written ->
      p[me].silent = 1;
      send(me, RELEASE, 0, 0);
      p[me].written = 1;
      handOverEnds(me)
    }
  :: atomic { p[me].role == PRIMARY && p[me].kind == RELEASE && (p[me].swap == APPLIED || p[me].swap == LOST) ->
      operationEnds(me);
      retires(me)
    }

#ifdef HAND_OVERS
  /* ================= Planned hand-over ================= */

  /* The operator names a backup; the tables leave in bulk while the primary goes on. */
  :: atomic { p[me].role == PRIMARY && !p[me].silent && p[me].id == 0 && attempts < ATTEMPTS ->
      attempts++;
#ifdef ID_REUSED
      p[me].id = 1;
#else
      p[me].id = attempts;
#endif
      if
      :: me != 0 -> p[me].to = 0
      :: me != 1 -> p[me].to = 1
#if NODES > 2
      :: me != 2 -> p[me].to = 2
#endif
      fi;
      if
      :: p[p[me].to].role == BACKUP && p[p[me].to].swap == NONE ->
        p[p[me].to].gotId = p[me].id;
        p[p[me].to].gotCount = p[me].table;
        p[p[me].to].gotAll = 0
      :: skip /* it does not get there */
      fi;
      p[me].bulkSent = p[me].table
    }

  /* It stops deciding: answers nobody. What has been decided since is the delta. */
  :: atomic { p[me].role == PRIMARY && p[me].id != 0 && !p[me].deltaSent && !p[me].silent ->
      p[me].silent = 1;
      p[me].deltaSent = 1;
      deltaTo = p[me].to;
      deltaId = p[me].id;
      deltaFrom = p[me].bulkSent;
      deltaCount = p[me].table
    }

  /* No acknowledgement in time: it goes on, as the znode does not name the transfer and never will. */
  :: atomic { p[me].role == PRIMARY && p[me].id != 0 && !p[me].written ->
      p[me].silent = 0;
      handOverEnds(me)
    }

  :: atomic { p[me].role == PRIMARY && p[me].deltaSent && ackTo == me && ackId == p[me].id && !p[me].acknowledged ->
      p[me].acknowledged = 1;
      ackTo = NOBODY;
      ackId = 0
    }

  /* The znode names the successor and the transfer. From here on there is no way back. */
#ifdef WITHOUT_ACKNOWLEDGEMENT
#define mayWrite(n) (p[n].deltaSent)
#else
#define mayWrite(n) (p[n].acknowledged)
#endif
  :: atomic { p[me].role == PRIMARY && mayWrite(me) && idle(me) && !p[me].inDoubt ->
      send(me, HAND_OVER, 0, 0);
      p[me].written = 1
    }
  :: atomic { p[me].role == PRIMARY && p[me].kind == HAND_OVER && p[me].swap == APPLIED ->
      operationEnds(me);
      retires(me)
    }
#endif
  od
}

/* Process 0 has just taken epoch 1. */
init {
  atomic {
    p[0].to = NOBODY;
    p[1].to = NOBODY;
#if NODES > 2
    p[2].to = NOBODY;
#endif
    p[0].role = PRIMARY;
    p[0].knows = 1;
    p[0].epoch = 1;
    p[0].floor = 1;
#ifdef BOUNDS
    p[0].bound = 1 + AHEAD;
#else
    p[0].lease = USABLE;
#endif
    run Store();
#ifdef CLOCKS
    run Time();
#endif
    run Node(0);
    run Node(1);
#if NODES > 2
    run Node(2)
#endif
  }
}
