package io.lampone.benchmarks.spurious;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Transactions of two processors, each of which sends its messages every 10 ms: reads, validation,
 * and, if all validators agree, writes. Where a validator has agreed and another one has not, the
 * first has recorded what was never written; conflicts with that are spurious.
 */
public final class SpuriousModel {

  private static final int PROCESSORS = 2;
  private static final int UNDER_WAY = 250;
  private static final int KEYS = 1_000_000;
  private static final int OPERATIONS = 4;
  private static final int STEPS_PER_SECOND = 100;
  private static final int COURSE_SECONDS = 10;

  /** Seconds at the end that are the result. */
  private static final int JUDGED_SECONDS = 30;

  private final Rule rule;
  private final int validators;
  private final int steps;
  private final Random random;
  private final ModelValidators voting;
  private final Watermarks watermarks;

  /** By key: the newest version in storage. */
  private final long[] installed = new long[KEYS];

  /** By key: the newest commit timestamp of a transaction that has committed. */
  private final long[] committed = new long[KEYS];

  private long lastCommit;

  // Transactions by what is under way: each step moves all of them on.
  private List<ModelTransaction> reading = new ArrayList<>();
  private List<ModelTransaction> read = new ArrayList<>();
  private List<ModelTransaction> sent = new ArrayList<>();
  private List<ModelTransaction> arrived = new ArrayList<>();
  private List<ModelTransaction> writing = new ArrayList<>();
  private List<ModelTransaction> written = new ArrayList<>();

  private final List<Double> course = new ArrayList<>();
  private Counts inCourse = new Counts();
  private final Counts judged = new Counts();
  private long transactions;

  /**
   * Model of a rule.
   *
   * @param validators number of validators, at most 31
   * @param seconds simulated time
   */
  public SpuriousModel(Rule rule, int validators, int seconds, long seed) {
    this.rule = rule;
    this.validators = validators;
    this.steps = seconds * STEPS_PER_SECOND;
    this.random = new Random(seed);
    this.voting =
        rule instanceof Rule.Snapshot
            ? new SnapshotValidators(validators)
            : new VersionValidators(rule, validators, steps);
    int every = rule instanceof Rule.Watermark watermark ? watermark.transactions() : 1;
    this.watermarks = new Watermarks(PROCESSORS, every);
  }

  /** Counts of transactions. */
  private static final class Counts {
    private long all;
    private long aborted;
    private long needed;

    void add(boolean isAborted, boolean isNeeded) {
      all++;
      aborted += isAborted ? 1 : 0;
      needed += isAborted && isNeeded ? 1 : 0;
    }

    double percent(long part) {
      return all == 0 ? 0 : 100.0 * part / all;
    }
  }

  /**
   * Result of a run: shares of all transactions in the last 30 seconds, in percent.
   *
   * @param perSecond transactions a second
   * @param aborts those aborted
   * @param needed those of them with a conflict with a transaction that has committed
   * @param course those aborted in each ten seconds
   */
  public record Result(
      Rule rule,
      int validators,
      double perSecond,
      double aborts,
      double needed,
      List<Double> course) {

    /** Returns the share of those aborted without need. */
    public double spurious() {
      return aborts - needed;
    }
  }

  /** Runs the model. */
  public Result run() {
    for (int processor = 0; processor < PROCESSORS; processor++) {
      for (int i = 0; i < UNDER_WAY; i++) {
        (i % 2 == 0 ? reading : read).add(next(processor));
      }
    }
    for (int step = 0; step < steps; step++) {
      step(step >= steps - JUDGED_SECONDS * STEPS_PER_SECOND);
      if ((step + 1) % (COURSE_SECONDS * STEPS_PER_SECOND) == 0) {
        course.add(inCourse.percent(inCourse.aborted));
        inCourse = new Counts();
      }
    }
    return new Result(
        rule,
        validators,
        transactions * (double) STEPS_PER_SECOND / steps,
        judged.percent(judged.aborted),
        judged.percent(judged.needed),
        List.copyOf(course));
  }

  private void step(boolean isJudged) {
    written.forEach(watermarks::ended);
    for (ModelTransaction each : writing) {
      for (int key : each.writes) {
        installed[key] = Math.max(installed[key], each.commit);
      }
    }
    written = writing;
    writing = new ArrayList<>();
    voting.validate(arrived);
    List<ModelTransaction> begun = new ArrayList<>();
    for (ModelTransaction each : arrived) {
      decide(each, isJudged);
      begun.add(next(each.processor));
    }
    arrived = sent;
    for (ModelTransaction each : read) {
      each.commit = ++lastCommit;
      watermarks.opened(each);
    }
    sent = read;
    for (ModelTransaction each : reading) {
      each.watermark = watermarks.knownBy(each.processor);
      each.snapshot = lastCommit;
      for (int i = 0; i < each.reads.length; i++) {
        each.versions[i] = installed[each.reads[i]];
      }
    }
    read = reading;
    reading = begun;
    watermarks.tell();
  }

  private void decide(ModelTransaction transaction, boolean isJudged) {
    boolean aborts = transaction.refusals != 0;
    boolean needed = isNeeded(transaction);
    if (needed && !aborts && !(rule instanceof Rule.Truncation)) {
      throw new IllegalStateException("a conflict was not found, rule=" + rule.text());
    }
    transactions++;
    inCourse.add(aborts, needed);
    if (isJudged) {
      judged.add(aborts, needed);
    }
    if (aborts) {
      watermarks.ended(transaction);
      return;
    }
    for (int key : transaction.writes) {
      committed[key] = transaction.commit;
    }
    writing.add(transaction);
  }

  /** Returns true if a transaction that has committed conflicts with this one. */
  private boolean isNeeded(ModelTransaction transaction) {
    for (int i = 0; i < transaction.reads.length; i++) {
      if (committed[transaction.reads[i]] > voting.checkedFrom(transaction, i)) {
        return true;
      }
    }
    if (voting.checksWrites()) {
      for (int key : transaction.writes) {
        if (committed[key] > transaction.snapshot) {
          return true;
        }
      }
    }
    return false;
  }

  private ModelTransaction next(int processor) {
    return new ModelTransaction(processor, keys(), keys());
  }

  private int[] keys() {
    return random.ints(OPERATIONS, 0, KEYS).toArray();
  }
}
