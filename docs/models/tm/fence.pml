/*
 * What two transaction managers may do to transactions: floor, validation and the data of a hand-over.
 *
 * There are no leases here: the old TM goes on answering as long as it likes. Isolation and atomicity
 * must hold all the same (docs/protocol.md, section 6). Only a planned hand-over makes it fall silent.
 *
 * TM 0 leads epoch 1, TM 1 takes epoch 2, planned or not, at any moment. Transaction 0 writes x and y
 * with its leader in x; transaction 1 writes y alone; a reader reads one of the two rows at a snapshot of
 * either TM. Each row has a region server of its own. A client, reader or TM that stops is one that is not
 * scheduled any more; a request or answer that is lost is one that is not taken.
 */

#define X 0
#define Y 1

/* TM 0 issues at most one timestamp for each begin and each decision. */
#define BOUND 6        /* the bound of epoch 1 */
#define FIRST 7        /* TimestampAllocator.firstAfter: max(bound + 1, wall clock) */
#define NO_FLOOR 1

/* An intent at a row. */
#define ABSENT 0
#define ARRIVED 1      /* it passed the checks under the row lock, and is not visible yet */
#define VISIBLE 2

/* A leader's transaction cell, once it is visible. */
#define PENDING 0
#define COMMITTED 1
#define ABORTED 2

/* Validator.Validation. */
#define NOTHING 0
#define PASSED 1
#define CONFLICT 2
#define REFUSED 3      /* no decision */
#define FORGOTTEN 4    /* inside a DecisionMemory: evicted */

/* ---- The znode ---- */

byte zFloor = NO_FLOOR;

/* ---- Transaction managers: TransactionManagerCore ---- */

typedef Manager {
  bit leads;
  bit silent;
  byte floor;
  byte last;           /* TimestampAllocator.last */
  byte recorded[2];    /* ConflictTable: by row, the last commit timestamp */
  byte watermark;      /* ConflictTable.lowWatermark */
  byte decision[2];    /* DecisionMemory: by transaction */
  byte horizon;        /* DecisionMemory.horizon */
}

Manager m[2];

/* ---- Region servers, one a row: Fences ---- */

byte known[2];         /* the floor that it has read from the znode */
byte intent[4];        /* by transaction * 2 + row */
byte leader[2];        /* by transaction: state of its leader's transaction cell, if VISIBLE */
byte committedAt[2];   /* and its commit timestamp */

/* ---- Transactions ---- */

byte start[2];
byte floorTold[2];
bit sent[4];           /* by transaction * 2 + TM: a validation on its way */
bit repeated[4];       /* it is not the first sending */
byte answer[2];        /* what came back last, not looked at yet */
byte passedAt[2];

/* ---- What an observer of everything sees; no process reads it ---- */

byte decidedAt[2];     /* the commit timestamp that some TM decided */
bit toldAborted[2];    /* its client has been told that it is aborted */
byte snapshot;         /* the reader's, once it has one */
bit judged[2];         /* the reader has found out whether it sees the transaction */
bit seen[2];

#define writes(t, r) (t == 0 || r == Y)
#define leaderRow(t) (t == 0 -> X : Y)
#define leaderThere(t) (intent[t * 2 + leaderRow(t)] == VISIBLE)

/* Whoever did not see T never can, and whoever saw T can again, at this row or any other. */
#define snapshotHolds(t) (!judged[t] || \
    (seen[t] == (leader[t] == COMMITTED && committedAt[t] < snapshot)))

#define firstCommitterWins (leader[0] != COMMITTED || leader[1] != COMMITTED || \
    start[0] > committedAt[1] || start[1] > committedAt[0])

/* StateRules.commit, the commit point. Demands a visible, pending leader. */
inline commitLeader(t, at) {
  if
  :: leaderThere(t) && leader[t] == PENDING ->
    leader[t] = COMMITTED;
    committedAt[t] = at;
#ifdef REACH_OLD_COMMIT
    assert(m[1].leads == 0 || at > BOUND);             /* R2: the old TM's decision is carried out after the takeover */
#endif
#ifdef REACH_COMMIT_ACROSS
    assert(start[t] > BOUND || at < BOUND);            /* R3: begun with the old TM, decided by the new one */
#endif
    assert(firstCommitterWins);                        /* F1: of two that overlap and write the same, one commits */
    assert(snapshotHolds(t));                          /* S1: whoever did not see it never sees it */
    assert(!toldAborted[t])                            /* O1: an outcome that was told is the outcome */
  :: else -> skip
  fi
}

/* StateRules.abort, without planting. */
inline abortLeader(t) {
  if
  :: leaderThere(t) && leader[t] == PENDING -> leader[t] = ABORTED
  :: else -> skip
  fi
}

/*
 * RegionFence.requireKnown: a server that knows an older floor than the request brings reads the znode,
 * and serves the request when it comes again. It believes the znode only.
 */
inline fence(r, requestFloor) {
  if
  :: requestFloor > known[r] -> known[r] = zFloor
  :: else -> skip
  fi
}

/* ================= Transaction managers ================= */

/* ValidatorCore.validate: allocation, conflict table and decision are one step [R7]. */
inline validate(n, t) {
  if
  :: start[t] >= (n == 0 -> BOUND : 255) -> skip       /* beyond its bound: it answers nothing [M14] */
  :: else ->
    if
    :: m[n].decision[t] == PASSED -> answer[t] = PASSED; passedAt[t] = decidedAt[t]
    :: m[n].decision[t] == CONFLICT -> answer[t] = CONFLICT
    :: else ->
      if
      :: start[t] < m[n].floor -> answer[t] = REFUSED
#ifndef FORGOTTEN_DECIDED_AGAIN
      :: start[t] >= m[n].floor && repeated[t * 2 + n] && start[t] <= m[n].horizon -> answer[t] = REFUSED
#endif
      :: start[t] >= m[n].floor && start[t] < m[n].watermark -> answer[t] = REFUSED
      :: else ->
        if
        :: m[n].recorded[Y] > start[t] || (t == 0 && m[n].recorded[X] > start[t]) ->
          m[n].decision[t] = CONFLICT;
          answer[t] = CONFLICT
        :: else ->
          assert(start[t] >= m[n].floor);              /* F2: no decision from below the floor */
          assert(decidedAt[t] == 0);                   /* F3: decided once */
          m[n].last++;
          m[n].recorded[Y] = m[n].last;
          if
          :: t == 0 -> m[n].recorded[X] = m[n].last
          :: else -> skip
          fi;
          m[n].decision[t] = PASSED;
          decidedAt[t] = m[n].last;
          answer[t] = PASSED;
          passedAt[t] = m[n].last
        fi
      fi
    fi
  fi
}

#define open(n) (m[n].leads && !m[n].silent)
#define decides(n) (m[n].leads && mayDecide(n))
#ifdef STILL_DECIDING
#define mayDecide(n) (1)
#else
#define mayDecide(n) (!m[n].silent)
#endif

inline evict(n, t) {
  /* DecisionMemory.record: whatever it forgets lies at or below the horizon. */
  if
  :: m[n].horizon < start[t] -> m[n].horizon = start[t]
  :: else -> skip
  fi;
  m[n].decision[t] = FORGOTTEN
}

inline evictConflicts(n, r) {
  /* ConflictTable.record: whatever it forgets lies at or below the watermark. */
  if
  :: m[n].watermark < m[n].recorded[r] -> m[n].watermark = m[n].recorded[r]
  :: else -> skip
  fi;
  m[n].recorded[r] = 0
}

proctype TransactionManager(byte n) {
end:
  do
  :: atomic { decides(n) && sent[0 + n] -> validate(n, 0); sent[0 + n] = 0; repeated[0 + n] = 0 }
  :: atomic { decides(n) && sent[2 + n] -> validate(n, 1); sent[2 + n] = 0; repeated[2 + n] = 0 }
#ifdef EVICTION
  :: atomic { open(n) && (m[n].decision[0] == PASSED || m[n].decision[0] == CONFLICT) -> evict(n, 0) }
  :: atomic { open(n) && (m[n].decision[1] == PASSED || m[n].decision[1] == CONFLICT) -> evict(n, 1) }
  :: atomic { open(n) && m[n].recorded[X] != 0 -> evictConflicts(n, X) }
  :: atomic { open(n) && m[n].recorded[Y] != 0 -> evictConflicts(n, Y) }
#endif
  od
}

/* TM 1 takes the epoch: Backup.take. */
proctype Takeover() {
  if
#ifdef UNPLANNED
  :: atomic {
      m[1].leads = 1;
      m[1].last = FIRST - 1;
#ifndef FLOOR_STAYS
      zFloor = FIRST;      /* the conflict table is empty: nobody who began before may be validated here */
#endif
      m[1].floor = zFloor
    }
#endif
#ifdef PLANNED
  :: atomic { m[0].silent = 1 };   /* it stops deciding, then sends what has been decided since */
    atomic {
      m[1].leads = 1;
      m[1].last = FIRST - 1;
      m[1].floor = zFloor;         /* unchanged: nobody is aborted */
#ifndef CONFLICTS_DROPPED
      m[1].recorded[X] = m[0].recorded[X];
      m[1].recorded[Y] = m[0].recorded[Y];
#endif
#ifndef WATERMARK_DROPPED
      m[1].watermark = m[0].watermark;
#endif
#ifndef DECISIONS_DROPPED
      m[1].decision[0] = m[0].decision[0];
      m[1].decision[1] = m[0].decision[1];
#endif
#ifndef HORIZON_DROPPED
      m[1].horizon = m[0].horizon;
#endif
      skip
    }
#endif
  fi
}

/* ================= Region servers ================= */

proctype RegionServers() {
  byte moves;
end:
  do
  /* The watch of the znode. */
  :: atomic { known[X] < zFloor -> known[X] = zFloor }
  :: atomic { known[Y] < zFloor -> known[Y] = zFloor }
#ifdef REGION_FORGETS
  :: atomic { known[X] > NO_FLOOR && moves == 0 -> known[X] = NO_FLOOR; moves = 1 }
  :: atomic { known[Y] > NO_FLOOR && moves == 0 -> known[Y] = NO_FLOOR; moves = 1 }
#endif
  od
}

/* ================= A transaction and its client ================= */

#ifdef NO_FENCE
#define admissible(r, t) (1)
#else
#define admissible(r, t) (start[t] >= known[r])
#endif
#if defined(FENCE_ONCE) || defined(NO_FENCE)
#define stillAdmissible(r, t) (1)
#else
#define stillAdmissible(r, t) (start[t] >= known[r])
#endif

/* ConflictRules: a commit timestamp above the start in the row. Followers are not healed in this model. */
#define overwritten(r, t) (t == 0 && r == Y && intent[1 * 2 + Y] == VISIBLE && leader[1] == COMMITTED && committedAt[1] > start[0])

proctype Transaction(byte t) {
  bit acknowledged[2];
  bit first;

  /* begin */
  atomic {
    if
    :: open(0) -> m[0].last++; start[t] = m[0].last; floorTold[t] = m[0].floor
    :: open(1) -> m[1].last++; start[t] = m[1].last; floorTold[t] = m[1].floor
    fi
  };

  /* flush, in parallel: RegionWrites.execute */
  do
  :: atomic { writes(t, X) && intent[t * 2 + X] == ABSENT ->
      fence(X, floorTold[t]);
      if
      :: admissible(X, t) && !overwritten(X, t) -> intent[t * 2 + X] = ARRIVED
      :: else -> goto refused
      fi
    }
  :: atomic { intent[t * 2 + X] == ARRIVED -> intent[t * 2 + X] = VISIBLE }
  :: atomic { intent[t * 2 + X] == VISIBLE && !acknowledged[X] ->
      /* RequestBatch.requireStillAdmissible [M1] */
      if
      :: stillAdmissible(X, t) -> acknowledged[X] = 1
      :: else -> goto refused
      fi
    }
  :: atomic { intent[t * 2 + Y] == ABSENT ->
      fence(Y, floorTold[t]);
      if
      :: admissible(Y, t) && !overwritten(Y, t) -> intent[t * 2 + Y] = ARRIVED
      :: else -> goto refused
      fi
    }
  :: atomic { intent[t * 2 + Y] == ARRIVED -> intent[t * 2 + Y] = VISIBLE }
  :: atomic { intent[t * 2 + Y] == VISIBLE && !acknowledged[Y] ->
      if
      :: stillAdmissible(Y, t) -> acknowledged[Y] = 1
      :: else -> goto refused
      fi
    }
  :: atomic { (!writes(t, X) || acknowledged[X]) && acknowledged[Y] -> acknowledged[X] = 0; acknowledged[Y] = 0; first = 1; break }
  od;

  /* CommitProtocol.validate: the request goes to whomever the client takes for the primary, again and again. */
  do
  :: atomic { !sent[t * 2 + 0] && (first || m[1].leads) -> sent[t * 2 + 0] = 1; repeated[t * 2 + 0] = !first; first = 0 }
  :: atomic { !sent[t * 2 + 1] && m[1].leads -> sent[t * 2 + 1] = 1; repeated[t * 2 + 1] = !first; first = 0 }
  :: atomic { answer[t] == PASSED -> break }
  :: atomic { answer[t] == CONFLICT ->
      toldAborted[t] = 1;
      assert(leader[t] != COMMITTED);                  /* O1: an outcome that was told is the outcome */
      goto done
    }
  /* Refused, or no answer in time: the leader tells [M4, M5]. */
  :: atomic { !first && (answer[t] == REFUSED || answer[t] == NOTHING) ->
#ifdef REFUSED_IS_ABORTED
      if
      :: answer[t] == REFUSED ->
        toldAborted[t] = 1;
        assert(leader[t] != COMMITTED);                /* O1: an outcome that was told is the outcome */
        goto done
      :: else -> skip
      fi;
#endif
      fence(leaderRow(t), floorTold[t]);
      abortLeader(t);
      toldAborted[t] = (leader[t] == ABORTED);
      goto done
    }
  od;

  /* CommitProtocol.commitLeader */
  atomic { fence(leaderRow(t), floorTold[t]); commitLeader(t, passedAt[t]) };

refused: /* before the commit request: nothing can commit it */
done:
  skip
}

/* ================= A reader ================= */

#ifdef READ_WITHOUT_FLOOR
#define readFence(r, f) skip
#else
#define readFence(r, f) fence(r, f)
#endif
#if defined(LEADER_READ_WITHOUT_FLOOR) || defined(READ_WITHOUT_FLOOR)
#define leaderFence(r, f) skip
#else
#define leaderFence(r, f) fence(r, f)
#endif

#define sees(t) (leader[t] == COMMITTED && committedAt[t] < snapshot)

/* The reader has decided that it sees or does not see T. */
inline judge(t, verdict) {
  judged[t] = 1;
  seen[t] = verdict;
  assert(seen[t] == sees(t))                           /* S2: it sees what has committed below its snapshot */
}

/*
 * A superseded TM that is asked on behalf of a snapshot at or above its bound answers nothing [M14]. The
 * mutant asks as WireRequest.Status does today: with the writer's start timestamp alone.
 */
#ifdef STATUS_WITHOUT_SNAPSHOT
#define mayTell(n, t) (open(n) && start[t] < (n == 0 -> BOUND : 255))
#else
#define mayTell(n, t) (open(n) && start[t] < (n == 0 -> BOUND : 255) && snapshot < (n == 0 -> BOUND : 255))
#endif

#define TELLS_LATER 0  /* not requested: invisible */
#define TELLS_PASSED 1
#define TELLS_UNKNOWN 2

/* ValidatorCore.status */
inline status(n, t) {
  if
  :: m[n].decision[t] == PASSED -> told = TELLS_PASSED
  :: m[n].decision[t] == CONFLICT -> told = TELLS_UNKNOWN  /* either way the reader helps aborting */
  :: (m[n].decision[t] == NOTHING || m[n].decision[t] == FORGOTTEN) &&
     (start[t] <= m[n].horizon || start[t] < m[n].floor || start[t] < m[n].watermark) -> told = TELLS_UNKNOWN
  :: else -> told = TELLS_LATER
  fi
}

proctype Reader() {
  byte floor;
  byte told;
  byte row;
  byte t;

  atomic {
    if
    :: open(0) -> m[0].last++; snapshot = m[0].last; floor = m[0].floor
    :: open(1) -> m[1].last++; snapshot = m[1].last; floor = m[1].floor
    fi;
    if
    :: row = X
    :: row = Y
    fi
  };

  /* SnapshotReads: raise the floor, then read. What is pending comes back as a pointer to its leader. */
  atomic {
    readFence(row, floor);
    if
    :: intent[0 * 2 + row] != VISIBLE || start[0] > snapshot -> judge(0, 0)
    :: intent[0 * 2 + row] == VISIBLE && start[0] < snapshot && row == X && leader[0] != PENDING -> judge(0, sees(0))
    :: else -> skip
    fi;
    if
    :: row == Y && (intent[1 * 2 + row] != VISIBLE || start[1] > snapshot) -> judge(1, 0)
    :: row == Y && intent[1 * 2 + row] == VISIBLE && start[1] < snapshot && leader[1] != PENDING -> judge(1, sees(1))
    :: else -> skip
    fi
  };

  /* IntentResolver.judge, for one after the other. */
  do
  :: t < 2 && (judged[t] || !writes(t, row)) -> t++
  :: t < 2 && !judged[t] && writes(t, row) ->
    atomic {
      leaderFence(leaderRow(t), floor);
      if
      :: !leaderThere(t) -> judge(t, 0)                    /* absent, and still pending where it was met */
      :: leaderThere(t) && leader[t] != PENDING -> judge(t, sees(t))
      :: else -> skip
      fi
    };
    if
    :: judged[t] -> skip
    :: else ->
      atomic {
        if
        :: mayTell(0, t) -> status(0, t)
        :: mayTell(1, t) -> status(1, t)
        fi
      };
      atomic {
        if
        :: told == TELLS_LATER -> judge(t, 0)
        :: told == TELLS_PASSED && decidedAt[t] > snapshot -> judge(t, 0)
        :: told == TELLS_PASSED && decidedAt[t] < snapshot ->
          leaderFence(leaderRow(t), floor);
          commitLeader(t, decidedAt[t]);
          judge(t, sees(t))
        :: told == TELLS_UNKNOWN ->
          leaderFence(leaderRow(t), floor);
          abortLeader(t);
          judge(t, sees(t))
        fi;
        told = 0
      }
    fi;
    t++
  :: t == 2 -> break
  od
}

init {
  atomic {
    m[0].leads = 1;
    m[0].floor = NO_FLOOR;
    known[X] = NO_FLOOR;
    known[Y] = NO_FLOOR;
    run TransactionManager(0);
    run TransactionManager(1);
    run Takeover();
    run RegionServers();
    run Transaction(0);
#ifdef RIVAL
    run Transaction(1);
#endif
#ifdef READER
    run Reader();
#endif
    skip
  }
}
