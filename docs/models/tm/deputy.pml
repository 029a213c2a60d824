/*
 * Who may write a fate onto a follower. A healer may write every table; a stranger may write one.
 *
 * One honest transaction of two rows: its leader in table A, its follower in table B. A stranger who
 * may write table C has seen the start timestamp: it puts a leader with that timestamp into C, which
 * lists the follower in B, and commits or aborts it when it likes. The healer goes by that list, and
 * its rights are not the stranger's. The stranger sends heals of its own to B as well, which name its
 * leader: that nobody sends a fate that its leader does not have is not shown here.
 *
 * Options (-D): NO_COMPARISON    the server does not compare the leader that a heal names with the
 *                                one that the follower names
 *               LIST_IS_BELIEVED the healer heals what a leader lists, as its own follower, and
 *                                sends what the follower's cell says, which it has not read
 *               REACH_STRANGER   shows that the stranger's leader does commit and is healed
 */

#define PENDING 1
#define COMMITTED 2
#define ABORTED 3

#define HONEST 1
#define STRANGER 2

byte leader[3];                 /* state of the leader HONEST (table A) and STRANGER (table C) */
byte follower = PENDING;        /* in table B; names HONEST */
byte own;                       /* the stranger's own follower in C; names STRANGER; 0 = absent */
bool refused;                   /* a heal that names another leader has been refused */

/* A heal at the follower in B: under the row lock, so in one step. */
inline heal_follower(named, fate) {
  if
#ifdef NO_COMPARISON
  :: false
#else
  :: named != HONEST -> refused = true
#endif
  :: else ->
    if
    :: follower == PENDING -> follower = fate
    :: else
    fi
  fi;
  assert(follower == PENDING || follower == leader[HONEST]) /* D2: its leader's fate */
}

/* A heal at the stranger's own follower in C. */
inline heal_own(named, fate) {
  if
  :: own == PENDING && named == STRANGER -> own = fate
  :: else
  fi
}

/* The owner: commits or aborts, and heals. It may die before each step. */
active proctype Owner() {
  leader[HONEST] = PENDING;
  if
  :: atomic { leader[HONEST] == PENDING -> leader[HONEST] = COMMITTED }
  :: atomic { leader[HONEST] == PENDING -> leader[HONEST] = ABORTED }
  :: goto dead
  :: atomic { leader[HONEST] != PENDING -> skip } /* a reader was faster */
  fi;
  if
  :: true; atomic { heal_follower(HONEST, leader[HONEST]) }
  :: goto dead
  fi;
dead:
  skip
}

/* A reader or healer that meets the follower, reads the place from it, and asks there. */
active proctype Reader() {
  byte fate;
  if
  :: atomic { leader[HONEST] == PENDING -> leader[HONEST] = ABORTED } /* nobody knows it any more */
  :: atomic { leader[HONEST] != PENDING && leader[HONEST] != 0 -> skip }
  fi;
  atomic { fate = leader[HONEST]; };
  atomic { heal_follower(HONEST, fate) }
}

/* The stranger: has rights on C, and says what it likes to whom it reaches. */
active proctype Stranger() {
  atomic { leader[STRANGER] = PENDING; own = PENDING };
  if
  :: leader[STRANGER] = COMMITTED
  :: leader[STRANGER] = ABORTED
  fi;
  do
  :: true; atomic { heal_follower(STRANGER, COMMITTED) }
  :: true; atomic { heal_follower(STRANGER, ABORTED) }
  :: true; atomic { heal_own(STRANGER, leader[STRANGER]) }
  :: break
  od
}

/* The healer, on the table of the stranger: goes by the list of a decided leader. */
active proctype Healer() {
  byte fate;
  (leader[STRANGER] == COMMITTED || leader[STRANGER] == ABORTED);
  fate = leader[STRANGER];
#ifdef LIST_IS_BELIEVED
  atomic { heal_follower(HONEST, fate) };
#else
  atomic { heal_follower(STRANGER, fate) };
#endif
  atomic { heal_own(STRANGER, fate) };
#ifdef REACH_STRANGER
  assert(!(refused && own == COMMITTED)) /* R4: refused at one, healed at the other */
#endif
}
