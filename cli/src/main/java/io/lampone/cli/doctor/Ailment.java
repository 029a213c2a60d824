package io.lampone.cli.doctor;

/**
 * Kinds of problems of a table. The names are stable: scripts rely on them. The page
 * docs/operations/doctor-findings.md is generated from it.
 */
public enum Ailment {
  NOT_TRANSACTIONAL(
      "the table is plain",
      "'lampone table enable' makes it transactional; nothing else is examined",
      false),
  BROKEN_SETTINGS(
      "a lampone.* value of the table was altered and is invalid, so the table cannot be used",
      "set the value as said with 'alter' in the HBase shell; no command of Lampone writes"
          + " such a one",
      false),
  BEING_CHANGED(
      "the table is being enabled or disabled",
      "wait until that command has ended; if it was interrupted, give it again, or"
          + " 'lampone table enable'",
      false),
  DISABLED_TABLE(
      "this table, or one with commit entries of its intents, is disabled in HBase: those"
          + " intents are not judged",
      "enable it in the HBase shell, and run the doctor again",
      false),
  WRONG_SCHEMA(
      "without the coprocessor a family would lose versions (VERSIONS, TTL, MIN_VERSIONS,"
          + " KEEP_DELETED_CELLS, NEW_VERSION_BEHAVIOR, in-memory compaction); or HBase may delete"
          + " whole files when a TTL is set (hbase.store.delete.expired.storefile is not false, as"
          + " in tables of an older Lampone); or the coprocessor has an older Lampone's priority",
      "set it as said, or let --fix correct it, which reopens the regions and keeps a TTL",
      true),
  REPLICATED(
      "a column family is replicated: HBase sends cells as they are stored, undecided ones"
          + " too, and the other side cannot judge them",
      "set REPLICATION_SCOPE to 0 with 'alter' in the HBase shell; bring the data to the"
          + " other cluster by 'lampone export' and 'lampone restore', what is there already is no"
          + " copy",
      false),
  MOB_FAMILY(
      "a column family was altered to MOB, which transactions do not support: the table takes"
          + " no writes",
      "set IS_MOB to false with 'alter' in the HBase shell, if no compaction has run since it"
          + " was true; else 'lampone export' and 'lampone restore' it",
      false),
  MISPLACED_COPROCESSOR(
      "another coprocessor comes behind Lampone's, which refuses everything on the table; the"
          + " detail names its class and a region",
      "'lampone table upgrade' puts Lampone's behind all others, unless the other one has the"
          + " highest priority, too: give that one a lower one",
      false),
  NO_COPROCESSOR(
      "regions of this table, or of one with commit entries of its intents, answer without"
          + " Lampone's coprocessor: those intents are not judged",
      "put the coprocessor's jar on the class path of every region server and restart it; if"
          + " it is there, the server's log says why it was unloaded",
      false),
  UNDECODABLE_CELL(
      "a transaction cell cannot be read",
      "another version of Lampone, or another program, has written it: upgrade, or restore"
          + " the row; --fix --quarantine aborts its transaction in this row",
      false),
  ILLEGAL_LEADER(
      "an undecided intent names a commit entry where none can be (no legal table, row or"
          + " family): requests for its row are refused",
      "another program has written it, or an older version of Lampone for a hostile client:"
          + " restore the row, or let --fix --quarantine abort the intent",
      false),
  LONG_CELL(
      "a transaction cell is longer than 256 KB, more than this version stores",
      "none: reads skip its lists, and a compaction takes it away when its transaction has ended",
      false),
  IMPOSSIBLE_VERSION(
      "a cell has a version that was never issued: at or above a bound that was read after the"
          + " cell",
      "another program has written it, or the table comes from another cluster: --fix"
          + " --quarantine deletes the cell",
      false),
  VERSION_WITHOUT_TRANSACTION(
      "a cell has a transaction's version, and its transaction cell is missing: reading the"
          + " row fails with CORRUPT",
      "another program has written or deleted here: restore the table from a backup, or copy"
          + " the other rows to a new one. 'table disable' has to read the row, too, and stops"
          + " there: 'table enable' opens the table again",
      false),
  OLD_INTENT(
      "an intent is older than a transaction may take",
      "the healer should have settled it: look at its LastFailure in JMX; --fix resolves it"
          + " as a reader would, unless its transaction may be active; this aborts a SERIALIZABLE"
          + " transaction that has a commit timestamp and whose client is gone",
      true),
  UNFINISHED_LEADER(
      "a committed transaction is not finished: its commit entry is kept",
      "the healer should have finished it: look at its LastFailure in JMX; --fix heals the"
          + " followers on its list now, and the healer makes it FINAL. One without a complete list"
          + " (lampone.client.recorded.followers) is left to the healer, which finishes it below"
          + " the safe point",
      true),
  UNPROVED_LEADER(
      "a commit entry says that its transaction has committed, and no transaction manager has"
          + " stated that: what the transaction wrote in other tables stays undecided, and requests"
          + " that meet it are refused. Reported at the commit entry, and at each row elsewhere"
          + " that names it",
      "it came into the table past Lampone: by an altered table, a loaded or restored file,"
          + " or a region server of an older version; or another cluster key counted then. --fix"
          + " --quarantine on its table aborts the transaction",
      false),
  FOLLOWER_WITHOUT_LEADER(
      "an intent belongs to a commit entry that is missing",
      "its table was dropped, or replaced by an older copy, or its client died early: --fix"
          + " aborts it if that is safe; below the safe point the healer does",
      true),
  VALIDATOR(
      "a validator was lost, has no share of the buckets, cannot receive one, or remembers too"
          + " little; or transactions still need one that was lost. Some of them abort; no data are"
          + " wrong",
      "'lampone check' says what to do, 'lampone validator list' shows them",
      false);

  private final String explanation;
  private final String advice;
  private final boolean fixable;

  Ailment(String explanation, String advice, boolean fixable) {
    this.explanation = explanation;
    this.advice = advice;
    this.fixable = fixable;
  }

  /** Returns an explanation of it. */
  public String explanation() {
    return explanation;
  }

  /** Returns advice on it. */
  public String advice() {
    return advice;
  }

  /**
   * Returns true if it is a cell for which requests are refused, and which can be ended by hand.
   */
  public boolean isQuarantined() {
    return this == UNDECODABLE_CELL
        || this == ILLEGAL_LEADER
        || this == UNPROVED_LEADER
        || this == IMPOSSIBLE_VERSION;
  }

  /** Returns true if the doctor has a safe fix for it. */
  public boolean isFixable() {
    return fixable;
  }
}
