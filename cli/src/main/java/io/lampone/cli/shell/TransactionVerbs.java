package io.lampone.cli.shell;

import io.lampone.cli.CommandException;
import io.lampone.client.Freshness;
import io.lampone.client.Isolation;
import io.lampone.client.Savepoint;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Commands that begin, end and inspect transactions. */
final class TransactionVerbs {

  private TransactionVerbs() {}

  static List<Verb> list() {
    return List.of(
        new Verb(
            "begin",
            "begin [readonly|serializable|session|latest] [, {TIMEOUT => SECONDS}]",
            "Opens a transaction. The commands that follow belong to it until commit or rollback. A"
                + " serializable one commits only if all that it has read is still so; a session"
                + " one may miss what others committed in the last second; a latest one has gets"
                + " only, and reads the latest state.",
            "begin serializable, {TIMEOUT => 60}",
            TransactionVerbs::begin),
        new Verb(
            "commit",
            "commit",
            "Makes all writes of the open transaction visible together.",
            "commit",
            TransactionVerbs::commit),
        new Verb(
            "rollback",
            "rollback [to SAVEPOINT]",
            "Undoes the open transaction and ends it. With a savepoint, undoes what followed that and"
                + " goes on.",
            "rollback to before",
            TransactionVerbs::rollback),
        new Verb(
            "savepoint",
            "savepoint NAME",
            "Marks a point of the open transaction. 'rollback to NAME' goes back to it.",
            "savepoint before",
            TransactionVerbs::savepoint),
        new Verb(
            "asof",
            "asof 'YYYY-MM-DD HH:MM:SS' | -N(s|m|h|d) | TIMESTAMP",
            "Opens a read-only transaction on the past. Give a time in UTC, how long ago, or a"
                + " timestamp of Lampone or in milliseconds; 'rollback' ends it.",
            "asof -5m",
            TransactionVerbs::asOf),
        new Verb(
            "status",
            "status [ID]",
            "Tells how a transaction ended, or whether one is open here.",
            "status",
            TransactionVerbs::status));
  }

  private static void begin(ShellSession session, Arguments arguments) throws IOException {
    session.requireIdle();
    TransactionOptions options =
        TransactionOptions.DEFAULT.withTimeout(ShellSession.INTERACTIVE_TIMEOUT);
    Optional<Bytes> mode = arguments.optionalWord("the kind of transaction");
    if (mode.isPresent()) {
      options =
          switch (mode.get().toUtf8().toLowerCase(Locale.ROOT)) {
            case "readonly" -> options.asReadOnly();
            case "serializable" -> options.withIsolation(Isolation.SERIALIZABLE);
            case "session" -> options.withFreshness(Freshness.SESSION);
            case "latest" -> options.asReadOnly().withFreshness(Freshness.LATEST);
            default ->
                throw arguments.wrong(
                    "only 'readonly', 'serializable', 'session' or 'latest' may follow begin, not '"
                        + mode.get()
                        + "'");
          };
    }
    Map<String, Argument> given = arguments.options(List.of("TIMEOUT"));
    arguments.end();
    if (given.containsKey("TIMEOUT")) {
      Bytes seconds = arguments.asWord(given.get("TIMEOUT"), "TIMEOUT");
      options = options.withTimeout(timeout(arguments, arguments.asCount(seconds, "TIMEOUT")));
    }
    session.output().line("Began, " + snapshot(session.begin(options)));
  }

  private static Duration timeout(Arguments arguments, int seconds) {
    Duration timeout = Duration.ofSeconds(seconds);
    if (timeout.compareTo(TransactionOptions.MAX_TIMEOUT) > 0) {
      throw arguments.wrong(
          "TIMEOUT must be at most " + TransactionOptions.MAX_TIMEOUT.toSeconds() + " seconds");
    }
    return timeout;
  }

  private static void commit(ShellSession session, Arguments arguments) throws IOException {
    arguments.end();
    Transaction transaction = session.take();
    transaction.commit();
    Optional<Long> timestamp = transaction.commitTimestamp();
    if (timestamp.isEmpty()) {
      session.output().line("Committed; nothing was written.");
      return;
    }
    session.output().line("Committed at " + ShellSession.described(timestamp.get()));
    transaction.id().ifPresent(id -> session.output().line("id " + id));
  }

  private static void rollback(ShellSession session, Arguments arguments) throws IOException {
    Optional<Bytes> to = arguments.optionalWord("to NAME");
    if (to.isEmpty()) {
      arguments.end();
      if (!session.lostBlock().leave()) {
        session.take().rollback();
      }
      session.output().line("Rolled back.");
      return;
    }
    String name = to.get().toUtf8();
    if (name.equalsIgnoreCase("to")) {
      name = arguments.text("the savepoint's name");
    }
    arguments.end();
    Transaction transaction = session.transaction();
    Savepoint savepoint = session.savepoints().get(name);
    if (savepoint == null) {
      throw new CommandException(
          "no savepoint of this name: " + name,
          "this transaction has: " + String.join(", ", session.savepoints().keySet()));
    }
    transaction.rollbackTo(savepoint);
    // Later savepoints refer to writes that have been rolled back.
    session.savepoints().values().removeIf(other -> other.slot() > savepoint.slot());
    session.output().line("Rolled back to " + name + ".");
  }

  private static void savepoint(ShellSession session, Arguments arguments) throws IOException {
    String name = arguments.text("the savepoint's name");
    arguments.end();
    Transaction transaction = session.transaction();
    session.savepoints().put(name, transaction.savepoint());
    session.output().line("Savepoint " + name + ".");
  }

  private static void asOf(ShellSession session, Arguments arguments) throws IOException {
    String text = arguments.text("the time or timestamp");
    arguments.end();
    session.requireIdle();
    Transaction transaction =
        session
            .database()
            .asOf(
                timestamp(arguments, text),
                TransactionOptions.DEFAULT.withTimeout(ShellSession.INTERACTIVE_TIMEOUT));
    Instant shown = Timestamps.toInstant(transaction.startTimestamp());
    session.open(transaction, "as of " + shown);
    session
        .output()
        .line("Reading the state of " + ShellSession.described(transaction.startTimestamp()));
  }

  private static long timestamp(Arguments arguments, String text) {
    Instant time;
    if (text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      long number = arguments.asNumber(Bytes.utf8(text), "the timestamp");
      if (!Timestamps.isPlain(number)) {
        return number;
      }
      // Lampone issues no timestamp this small: the value is in milliseconds.
      time = Instant.ofEpochMilli(number);
    } else {
      time = time(arguments, text);
    }
    try {
      return Timestamps.floorOf(time);
    } catch (IllegalArgumentException e) {
      throw arguments.wrong(String.valueOf(e.getMessage()));
    }
  }

  private static Instant time(Arguments arguments, String text) {
    Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
    return TimeArgument.parse(text, now)
        .orElseThrow(
            () ->
                arguments.wrong(
                    "not a time in UTC such as '2026-11-21 08:00', or -5m: '"
                        + Bytes.utf8(text)
                        + "'"));
  }

  private static void status(ShellSession session, Arguments arguments) throws IOException {
    Optional<Bytes> text = arguments.optionalWord("the id");
    arguments.end();
    if (text.isEmpty()) {
      session.output().line(own(session));
      return;
    }
    session.output().line(described(outcome(session.database(), text.get().toUtf8())));
  }

  /** Returns the outcome of a transaction, or of a write of the fast path. */
  private static TransactionOutcome outcome(Database database, String id) throws IOException {
    try {
      return database.outcome(FastPathId.parse(id));
    } catch (IllegalArgumentException notOfTheFastPath) {
      // That of a transaction has fewer parts.
    }
    TransactionId transaction;
    try {
      transaction = TransactionId.parse(id);
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          "not a transaction id: '" + id + "'",
          "'commit' prints the id, and so does what reports an unknown outcome");
    }
    return database.status(transaction);
  }

  private static String own(ShellSession session) {
    if (!session.isOpen()) {
      return "No transaction is open.";
    }
    Transaction open = session.transaction();
    return "Open, " + snapshot(open) + open.id().map(id -> ", id " + id).orElse("");
  }

  /** Describes the snapshot of a transaction; a LATEST one has none until its reads need it. */
  private static String snapshot(Transaction transaction) {
    long timestamp = transaction.startTimestamp();
    return timestamp == 0 ? "no snapshot" : "snapshot " + ShellSession.described(timestamp);
  }

  /** Describes an outcome in words. */
  static String described(TransactionOutcome outcome) {
    if (outcome instanceof TransactionOutcome.Committed committed) {
      return "committed at " + ShellSession.described(committed.commitTimestamp());
    }
    if (outcome instanceof TransactionOutcome.Aborted) {
      return "aborted: nothing of it is visible";
    }
    return outcome instanceof TransactionOutcome.Running
        ? "not ended: its client may still be at work"
        : "too old: the outcome is no longer known";
  }
}
