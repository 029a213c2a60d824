/*
 * The rows of an index that is added to a table while others write and read it
 * (docs/protocol/fast-path.md, "Schema floor"). All writers know the index: schema.pml shows that.
 * The table has one row, with the value 0, 1 or 2; the index a row for each value.
 *
 * The populator reads the table at its snapshot, and writes the index row by a conditional write of
 * the fast path. Then it fences the index.
 * A writer changes the value: its intents are the row of the table, a tombstone of the old index row
 * and a put of the new one, each flushed on its own. Two of them, so that a value can come back.
 * A reader reads the table when its snapshot is issued, and the index at that snapshot when it has
 * been made.
 *
 * A writer's commit timestamp is issued, and its commit takes effect, in one step: whole.pml has what
 * lies between. Issued timestamps are even. A version of the fast path is odd: of any tick up to the
 * last one issued, and above what the row has committed. Cells of a writer have its start as version.
 */

#define VALUES 3
#define WRITERS 2
#define NONE 255

typedef Row {
  byte version;  /* of the newest committed cell */
  byte commit;   /* highest commit timestamp */
  bool present;  /* whether the newest committed cell is a put */
  byte intent    /* writer whose undecided intent is here; NONE */
}

byte clock = 2;           /* the last timestamp that was issued */
byte value;               /* committed value of the row of the table */
byte committed;           /* its commit timestamp */
byte owner = NONE;        /* writer whose undecided intent is there */
Row index[VALUES];
bool aborted[WRITERS];
byte ended;               /* writers that have ended */
byte floor;               /* of the index: raised by the fence */
bool made;                /* the index is made */

inline issue(variable) {
  clock = clock + 2;
  variable = clock
}

/* A decided cell becomes visible: the highest version counts. */
inline store(row, cell, at, put) {
  if
  :: cell > index[row].version ->
     index[row].version = cell;
     index[row].present = put
  :: else
  fi;
  if
  :: at > index[row].commit -> index[row].commit = at
  :: else
  fi
}

/* An intent on an index row, unless something was committed there since the start. */
inline flush(row) {
  atomic {
    if
    :: aborted[me] || index[row].intent != NONE -> goto abort
#ifndef BIRTH_UNSEEN
    :: index[row].commit > start -> goto abort
#endif
    :: else -> index[row].intent = me
    fi
  }
}

active proctype populator() {
  byte snapshot, found, version, fence;
  atomic { issue(snapshot); found = value }
#ifdef FENCE_FIRST
  atomic { issue(fence); floor = fence }
#endif
  atomic {
#ifndef INTENTS_PASSED
    /* Waits, or aborts the writer. */
    if
    :: index[found].intent == NONE
    :: index[found].intent != NONE -> aborted[index[found].intent] = true; index[found].intent = NONE
    fi;
#endif
    if
#ifndef UNCONDITIONAL
    :: index[found].commit > snapshot ->
#ifdef REACH_LEFT
       assert(false); /* R13: a row is left to a later writer */
#endif
       skip
#endif
    :: else ->
       version = clock + 1;
       do
       :: version > index[found].commit + 2 -> version = version - 2
       :: break
       od;
       store(found, version, version, true)
    fi;
    version = 0
  }
#ifndef FENCE_FIRST
#ifndef NOT_FENCED
  atomic { issue(fence); floor = fence }
#endif
#endif
  made = true;
  atomic {
    ended == WRITERS;
    found = 0;
    do
    :: found < VALUES ->
       assert(index[found].present == (value == found)); /* I2: index and table hold the same in the end */
       found++
    :: else -> break
    od;
    found = 0
  }
}

proctype writer(byte me) {
  byte start, old, new, first, second, commit;
  atomic {
    issue(start);
    old = value;
    if
    :: new = 0
    :: new = 1
    :: new = 2
    fi;
    new != old
  }
  atomic {
    if
    :: owner != NONE || committed > start -> goto abort
    :: else -> owner = me
    fi
  }
  if
  :: first = old; second = new
  :: first = new; second = old
  fi;
  flush(first);
  flush(second);
  atomic {
    if
    :: aborted[me] -> goto abort
    :: else ->
       issue(commit);
       value = new;
       committed = commit;
       owner = NONE;
       store(old, start, commit, false);
       store(new, start, commit, true);
       index[old].intent = NONE;
       index[new].intent = NONE;
       ended++;
       goto end
    fi
  }
abort:
  atomic {
    if
    :: owner == me -> owner = NONE
    :: else
    fi;
    if
    :: index[old].intent == me -> index[old].intent = NONE
    :: else
    fi;
    if
    :: index[new].intent == me -> index[new].intent = NONE
    :: else
    fi;
    ended++
  }
end:
  skip
}

/* Both are seen as of the start: what is issued and takes effect later lies above. */
proctype reader() {
  byte start, table, row;
  bool seen[VALUES];
  atomic {
    issue(start);
    table = value;
    row = 0;
    do
    :: row < VALUES -> seen[row] = index[row].present; row++
    :: else -> break
    od;
    row = 0
  }
  atomic {
    made;
    if
    :: start < floor ->
#ifdef REACH_REFUSED
       assert(false); /* R14: a reader is refused */
#endif
       skip
    :: else ->
       do
       :: row < VALUES ->
          assert(seen[row] == (table == row)); /* I3: a reader sees the same by table and by index */
          row++
       :: else -> break
       od
    fi
  }
}

init {
  byte i;
  atomic {
    do
    :: i < VALUES -> index[i].intent = NONE; i++
    :: else -> break
    od;
    i = 0;
    run writer(0);
    run writer(1);
#ifndef NO_READER
    run reader()
#endif
  }
}
