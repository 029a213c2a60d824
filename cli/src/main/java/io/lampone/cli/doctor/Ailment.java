package io.lampone.cli.doctor;

/** Everything that can be found wrong with a table. The names are stable: scripts rely on them. */
public enum Ailment {
  NOT_TRANSACTIONAL(
      "the table is not transactional",
      "'lampone table enable' makes it so; nothing else is looked at",
      false),
  BROKEN_SETTINGS(
      "what the table says of itself to Lampone cannot be read, so nobody can use it",
      "set the value as said with 'alter' in the HBase shell; it was changed there, for no command of"
          + " Lampone writes such a one",
      false),
  BEING_CHANGED(
      "the table is being enabled or disabled",
      "wait until that command has ended; if it was interrupted, give it again",
      false),
  DISABLED_TABLE(
      "the table is disabled in HBase: nobody can read it, nor judge intents that are decided there",
      "enable it in the HBase shell, and look again: those intents were not looked at any further",
      false),
  WRONG_SCHEMA(
      "a column family says that versions may be dropped; only Lampone's coprocessor keeps HBase from it; or that coprocessor may not be the last one",
      "set it as said, or let --fix do it; a TTL it leaves to you",
      true),
  REPLICATED(
      "a column family is replicated: HBase sends cells as they are stored, undecided ones too, and"
          + " the other side cannot judge them",
      "set REPLICATION_SCOPE to 0 with 'alter' in the HBase shell; bring the data to the other"
          + " cluster by 'lampone export' and 'lampone restore', what is there already is no copy",
      false),
  MOB_FAMILY(
      "a column family keeps large values apart, which transactions do not support: nothing can be"
          + " written to the table",
      "set IS_MOB to false with 'alter' in the HBase shell, if no compaction has run since it was"
          + " true; else 'lampone export' and 'lampone restore' it",
      false),
  MISPLACED_COPROCESSOR(
      "another coprocessor comes behind Lampone's, which refuses everything: that one would not be"
          + " asked",
      "'lampone table upgrade' puts Lampone's behind all others, unless the other one has the"
          + " highest priority, too: give that one a lower one",
      false),
  NO_COPROCESSOR(
      "regions answer without Lampone's coprocessor",
      "put the coprocessor's jar on the class path of every region server and restart it; if it is"
          + " there, the server's log says why it was unloaded",
      false),
  UNDECODABLE_CELL(
      "a transaction cell cannot be read",
      "another version of Lampone, or another program, has written it: upgrade, or restore the row;"
          + " --fix --quarantine aborts its transaction in this row",
      false),
  ILLEGAL_LEADER(
      "an undecided intent names a commit entry where none can be: requests for its row are refused",
      "another program has written it, or an older version of Lampone for a hostile client: restore"
          + " the row, or let --fix --quarantine abort the intent",
      false),
  LONG_CELL(
      "a transaction cell is longer than this version stores",
      "nothing: it is read in parts, and a compaction takes it away when its transaction has ended",
      false),
  IMPOSSIBLE_VERSION(
      "a cell has a version that no transaction manager has issued yet",
      "another program has written it, or the table comes from another cluster: --fix --quarantine"
          + " deletes the cell",
      false),
  VERSION_WITHOUT_TRANSACTION(
      "a cell has a transaction's version, and its transaction cell is missing",
      "its row cannot be read: another program has written or deleted here; restore the table from a"
          + " backup, or copy the other rows to a new one. 'table disable' has to read the row, too,"
          + " and stops there: 'table enable' opens the table again",
      false),
  OLD_INTENT(
      "an intent is older than a transaction may take",
      "the healer should have settled it: look at its LastFailure in JMX; --fix settles it now,"
          + " unless its transaction may still be at work",
      true),
  UNFINISHED_LEADER(
      "a committed transaction is not finished: its commit entry is kept",
      "the healer should have finished it: look at its LastFailure in JMX; --fix heals its followers"
          + " now. One that is larger than lampone.client.recorded.followers is left to the healer, which"
          + " finishes it below the safe point",
      true),
  UNPROVED_LEADER(
      "a commit entry says that its transaction has committed, and no transaction manager has stated"
          + " that: what the transaction wrote in other tables stays undecided, and requests that"
          + " meet it are refused",
      "it came into the table past Lampone: by an altered table, a loaded or restored file, or a"
          + " region server of an older version; or another cluster key counted then. --fix"
          + " --quarantine on its table aborts the transaction",
      false),
  FOLLOWER_WITHOUT_LEADER(
      "an intent belongs to a commit entry that is not there",
      "its table was dropped, or replaced by an older copy, or its client died early: --fix aborts"
          + " it if it can be proven that it was never committed",
      true);

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
