package io.lampone.cli.shell;

import io.lampone.cli.CommandException;
import io.lampone.client.Freshness;
import io.lampone.client.LamponeException;
import io.lampone.client.RetryAdvice;
import io.lampone.client.Savepoint;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionClient.TransactionFunction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * State of one user of the shell: at most one open transaction and its savepoints. A statement
 * outside a transaction runs in a dedicated one. For one thread.
 *
 * <pre>
 *   idle --begin, asof--> open --commit, rollback, an error that ended it--> idle
 * </pre>
 */
public final class ShellSession implements AutoCloseable {

  /** Timeout of interactive transactions; longer than the one minute of programs. */
  static final Duration INTERACTIVE_TIMEOUT = Duration.ofMinutes(10);

  private final Database database;
  private final ShellOutput output;
  private final Map<String, Verb> verbs;

  /**
   * The open transaction; null while idle. Set by {@link #open(Transaction, boolean, String)} and
   * {@link #take}.
   */
  private @Nullable Open open;

  private final LostBlock lostBlock = new LostBlock();

  /** True if the user has requested the end of the session. */
  private boolean finished;

  /** True if the duration of each statement is printed. */
  private boolean timing;

  private Question question = text -> false;
  private PrintWriter notes = new PrintWriter(Writer.nullWriter());

  /** Yes-or-no question to the user. */
  @FunctionalInterface
  interface Question {
    boolean ask(String text) throws IOException;
  }

  /** Open transaction, its label in the prompt, and its savepoints by name. */
  private record Open(
      Transaction transaction, boolean mayWrite, String label, Map<String, Savepoint> savepoints) {}

  public ShellSession(Database database, ShellOutput output) {
    this.database = database;
    this.output = output;
    this.verbs = ShellVerbs.all();
  }

  /**
   * Runs one statement and prints its output.
   *
   * @throws CommandException if the statement is not valid in the current state
   * @throws IOException if the cluster rejects it or does not respond
   */
  void execute(Statement statement) throws IOException {
    Verb verb = verb(statement.name());
    long began = SystemClock.INSTANCE.monotonicNanos();
    try {
      verb.action().run(this, new Arguments(statement, verb.usage()));
    } catch (IOException | RuntimeException e) {
      if (open == null) {
        lostBlock.enterAfter(statement);
      } else if (e instanceof LamponeException failure
          && failure.retryAdvice() != RetryAdvice.NEVER
          // A cancelled statement fails because of the cancellation: the transaction stays open.
          && !Thread.currentThread().isInterrupted()) {
        abandon(failure);
      }
      throw e;
    } finally {
      if (timing) {
        long nanos = SystemClock.INSTANCE.monotonicNanos() - began;
        double seconds = (double) nanos / TimeUnit.SECONDS.toNanos(1);
        output.line(String.format(Locale.ROOT, "Took %.3f s", seconds));
      }
    }
  }

  /** Returns the command of this name. */
  Verb verb(String name) {
    Verb verb = verbs.get(name);
    if (verb == null) {
      throw new CommandException("unknown command: " + name, "'help' lists all commands");
    }
    return verb;
  }

  /** Returns all commands, in the order of the help text. */
  Iterable<Verb> verbs() {
    return new LinkedHashSet<>(verbs.values());
  }

  ShellOutput output() {
    return output;
  }

  Database database() {
    return database;
  }

  /** Returns the shell's prompt. */
  String prompt() {
    return open == null ? "lampone> " : "lampone(" + open.label() + ")> ";
  }

  /** Returns true if a transaction is open. */
  boolean isOpen() {
    return open != null;
  }

  /** Returns true if a transaction is open that may have written. */
  boolean mayHaveWritten() {
    return open != null && open.mayWrite();
  }

  /** Begins a transaction that later statements use. */
  Transaction begin(TransactionOptions options) throws IOException {
    requireIdle();
    Transaction transaction = database.begin(options);
    String label =
        options.freshness() == Freshness.LATEST
            ? "latest"
            : "tx " + shortened(transaction.startTimestamp());
    open(transaction, !options.readOnly(), options.readOnly() ? label + ", read only" : label);
    return transaction;
  }

  /** Makes an already begun transaction, which reads only, the open one. */
  void open(Transaction transaction, String label) {
    open(transaction, false, label);
  }

  private void open(Transaction transaction, boolean mayWrite, String label) {
    requireIdle();
    open = new Open(transaction, mayWrite, label, new LinkedHashMap<>());
  }

  /** Returns the open transaction. */
  Transaction transaction() {
    return required().transaction();
  }

  /** Returns the savepoints of the open transaction. */
  Map<String, Savepoint> savepoints() {
    return required().savepoints();
  }

  /** Removes the open transaction from the session; the caller ends it. */
  Transaction take() {
    try {
      return transaction();
    } finally {
      open = null;
      lostBlock.leave();
    }
  }

  /** Returns the rest of a block that has no transaction any more. */
  LostBlock lostBlock() {
    return lostBlock;
  }

  /** Sets whether the shell ends after this statement. */
  void finish(boolean asked) {
    finished = asked;
  }

  /** Sets whether the duration of each statement is printed. */
  void setTiming(boolean on) {
    timing = on;
  }

  /** Sets the means of confirmation; without it every answer is no. */
  void askBy(Question asking) {
    question = asking;
  }

  /** Sets the destination for the progress of long changes; by default it is not shown. */
  void reportTo(PrintWriter errors) {
    notes = errors;
  }

  /** Returns the destination of progress. */
  PrintWriter notes() {
    return notes;
  }

  /** Returns true if the user confirms. */
  boolean confirms(String text) throws IOException {
    return question.ask(text);
  }

  /** Returns true if the user has requested the end of the session. */
  boolean isFinished() {
    return finished;
  }

  /** Fails if a transaction is open. */
  void requireIdle() {
    if (open != null) {
      throw new CommandException(
          "a transaction is open: " + open.label(), "'commit' or 'rollback' ends it");
    }
    lostBlock.require();
  }

  /** Writes in the open transaction, or else in a new one that is committed immediately. */
  <T> T write(TransactionFunction<T, RuntimeException> work) throws IOException {
    if (open != null) {
      return work.apply(open.transaction());
    }
    lostBlock.require();
    return database.run(TransactionOptions.DEFAULT, work);
  }

  /** Reads in the open transaction, or else in a new read-only one. */
  <T> T read(TransactionFunction<T, RuntimeException> work) throws IOException {
    if (open != null) {
      return work.apply(open.transaction());
    }
    lostBlock.require();
    TransactionOptions options = TransactionOptions.DEFAULT.asReadOnly();
    try (Transaction snapshot = database.begin(options.withTimeout(INTERACTIVE_TIMEOUT))) {
      return work.apply(snapshot);
    }
  }

  /** Formats a timestamp together with its time. */
  static String described(long timestamp) {
    return timestamp + " (" + Timestamps.toInstant(timestamp) + ")";
  }

  /** Rolls back the open transaction. */
  @Override
  public void close() throws IOException {
    if (open != null) {
      take().close();
    }
  }

  private void abandon(LamponeException why) {
    try {
      take().rollback();
    } catch (IOException e) {
      why.addSuppressed(e);
    }
    lostBlock.enter();
    output.line("The transaction has ended.");
  }

  private Open required() {
    if (open == null) {
      lostBlock.require();
      throw new CommandException("no transaction is open", "'begin' opens one");
    }
    return open;
  }

  private static String shortened(long timestamp) {
    String hex = Long.toHexString(timestamp);
    return hex.length() <= 8 ? hex : hex.substring(0, 3) + "…" + hex.substring(hex.length() - 5);
  }
}
