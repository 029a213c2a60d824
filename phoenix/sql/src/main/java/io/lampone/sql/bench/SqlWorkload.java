package io.lampone.sql.bench;

import java.util.OptionalDouble;

/**
 * Kind of statements, with the goals for its latency on Lampone, as parts of that of the others.
 */
enum SqlWorkload {
  SELECT("select-by-key", "SELECT by key, autocommit", 0.6, 1.15, 20),
  UPSERT("upsert", "UPSERT, autocommit", 0.4, 1.3, 20),
  UPSERT_INDEXED("upsert-indexed", "UPSERT with an index, autocommit", 0.7, 0, 10),
  READ_MODIFY_WRITE("read-modify-write", "SELECT, UPSERT, commit", 0.6, 0, 10),
  BATCH_INDEXED("batch-indexed", "1,000 UPSERTs with an index, commit", 0.6, 0, 2),
  COUNT("count-at-rest", "COUNT(*) of a table at rest", 0.7, 0, 4),
  /** 1.5 times as many of them; the other kinds are each tenth, which a median does not show. */
  TPCC("tpcc", "TPC-C, new order and payment", 0.667, 0, 2),
  SMALLBANK("smallbank", "SmallBank", 1, 0, 10),
  TATP("tatp", "TATP, single statements under autocommit", 1, 0, 10);

  private final String key;
  private final String title;
  private final double goalOfOmid;
  private final double goalOfPlain;
  private final int firstOperations;

  SqlWorkload(
      String key, String title, double goalOfOmid, double goalOfPlain, int firstOperations) {
    this.key = key;
    this.title = title;
    this.goalOfOmid = goalOfOmid;
    this.goalOfPlain = goalOfPlain;
    this.firstOperations = firstOperations;
  }

  /** For programs. */
  String key() {
    return key;
  }

  /** For tables. */
  String title() {
    return title;
  }

  double goalOfOmid() {
    return goalOfOmid;
  }

  OptionalDouble goalOfPlain() {
    return goalOfPlain > 0 ? OptionalDouble.of(goalOfPlain) : OptionalDouble.empty();
  }

  /** Returns how many operations a slice has while it is not known how long they take. */
  int firstOperations() {
    return firstOperations;
  }
}
