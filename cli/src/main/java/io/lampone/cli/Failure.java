package io.lampone.cli;

import io.lampone.cli.backup.BackupException;
import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeException;
import io.lampone.embedded.EmbeddedStartException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.MasterNotRunningException;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.ZooKeeperConnectionException;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.zookeeper.KeeperException;

/**
 * User-facing description of a failure.
 *
 * @param message description, one line
 * @param advice remedy; may be empty
 */
public record Failure(String message, String advice) {

  /** Maximum number of causes examined; HBase nests a handful. */
  private static final int MAX_CAUSES = 32;

  private static final String UNKNOWN_ADVICE = "--debug shows the details";

  /** Loss of output. */
  public static final Failure OUTPUT_LOST =
      new Failure(
          "standard output cannot be written", "is the disk full, or has the pipe been closed?");

  private static final Failure STOP = new Failure("stopped", "");

  /** Commands named in advice: those of the command line, or the shell's. */
  private enum Words {
    COMMANDS(
        "'lampone table list'",
        "'lampone table create'",
        "'lampone table enable'",
        "lampone shell -e \"status '%s'\""),
    SHELL("'list'", "'help create'", "'enable'", "status '%s'");

    private final String list;
    private final String create;
    private final String enable;
    private final String status;

    Words(String list, String create, String enable, String status) {
      this.list = list;
      this.create = create;
      this.enable = enable;
      this.status = status;
    }
  }

  /** Describes the most informative cause of {@code thrown}. */
  public static Failure of(Throwable thrown) {
    return of(thrown, Words.COMMANDS);
  }

  /** Returns the same for a user of the shell. */
  public static Failure inShell(Throwable thrown) {
    return of(thrown, Words.SHELL);
  }

  private static Failure of(Throwable thrown, Words words) {
    List<Throwable> causes = causes(thrown);
    return causes.stream()
        .flatMap(cause -> precise(cause, words).stream())
        .findFirst()
        .or(() -> causes.stream().flatMap(cause -> known(cause, words).stream()).findFirst())
        .orElseGet(() -> unknown(causes));
  }

  /** Describes the deepest cause that says something, if there is one. */
  private static Failure unknown(List<Throwable> causes) {
    Throwable deepest = causes.get(causes.size() - 1);
    for (Throwable cause : causes) {
      deepest = cause.getMessage() != null && !cause.getMessage().isBlank() ? cause : deepest;
    }
    return new Failure(
        deepest.getClass().getSimpleName() + ": " + firstLine(deepest), UNKNOWN_ADVICE);
  }

  /** Prints a failure of a command without {@code --debug}: an unknown one with its stack trace. */
  static void printWithoutDebug(PrintWriter errors, Throwable thrown) {
    Failure failure = of(thrown);
    boolean isUnknown = failure.advice.equals(UNKNOWN_ADVICE);
    new Failure(failure.message, isUnknown ? "" : failure.advice).print(errors, "");
    if (isUnknown) {
      thrown.printStackTrace(errors);
      errors.flush();
    }
  }

  /**
   * Prints a failure, in the same form for every command.
   *
   * @param debug true to print the stack trace
   */
  public static void print(PrintWriter errors, Throwable thrown, boolean debug) {
    of(thrown).print(errors, "");
    if (debug) {
      thrown.printStackTrace(errors);
    }
    errors.flush();
  }

  /** Returns true if the user stopped the command. */
  public boolean isStop() {
    return this.equals(STOP);
  }

  /** Prints message and advice; {@code place} is the location of the failure, or empty. */
  public void print(PrintWriter errors, String place) {
    errors.println("ERROR: " + place + message);
    if (!advice.isEmpty()) {
      errors.println("  " + advice);
    }
    errors.flush();
  }

  /**
   * Returns the failure for an exception that is precise in itself, however many others wrap it.
   */
  private static Optional<Failure> precise(Throwable cause, Words words) {
    if (cause instanceof TableNotFoundException) {
      return failure(
          "no such table: " + firstLine(cause),
          words.list + " lists the transactional ones; " + words.create + " makes one");
    }
    if (cause instanceof TableExistsException) {
      return failure(
          "the table exists already: " + firstLine(cause),
          words.enable + " makes an existing table transactional");
    }
    if (cause instanceof NamespaceNotFoundException) {
      return failure(
          "no such namespace: " + firstLine(cause),
          "make it first, in the HBase shell: create_namespace 'NAME'");
    }
    if (cause instanceof NoSuchColumnFamilyException) {
      return failure("no such column family: " + firstLine(cause), "write family:qualifier");
    }
    return Optional.empty();
  }

  private static Optional<Failure> known(Throwable cause, Words words) {
    if (cause instanceof CommandException command) {
      return failure(String.valueOf(command.getMessage()), command.advice());
    }
    if (cause instanceof BackupException backup) {
      return failure(firstLine(backup), backup.advice());
    }
    if (cause instanceof CommitOutcomeUnknownException unknown) {
      return failure(
          firstLine(unknown),
          Stream.concat(unknown.transactionId().stream(), unknown.operations().stream())
              .map(id -> "ask later: " + words.status.formatted(id))
              .findFirst()
              .orElse("ask later, by the id"));
    }
    if (cause instanceof LamponeException lampone) {
      return failure(firstLine(lampone), advice(lampone.code(), words));
    }
    if (cause instanceof EmbeddedStartException start) {
      return failure(firstLine(start), advice(start.reason()));
    }
    if (cause instanceof MasterNotRunningException
        || cause instanceof ZooKeeperConnectionException
        || cause instanceof ConnectException
        || cause instanceof KeeperException) {
      return failure(
          "HBase does not answer: " + firstLine(cause),
          "is it running? --zookeeper HOST:PORT or --config FILE say where");
    }
    return cause instanceof InterruptedIOException || cause instanceof InterruptedException
        ? Optional.of(STOP)
        : Optional.empty();
  }

  private static String advice(LamponeException.Code code, Words words) {
    return switch (code) {
      case CONFLICT -> "nothing of this transaction was written; begin again and repeat it";
      case ABORTED -> "nothing of this transaction was written; begin again and repeat it";
      case BLOCKED -> "nothing was written; try again, or in a regular transaction";
      case TIMEOUT -> "nothing of this transaction was written; begin again, and commit sooner";
      case SNAPSHOT_TOO_OLD -> "begin again: the new transaction reads the present state";
      case OUTCOME_UNKNOWN -> "ask for the status of its id before doing it again";
      case MANAGER_UNAVAILABLE -> "is a transaction manager running, on the same ZooKeeper?";
      case STORE_UNAVAILABLE -> "is HBase running? try again in a moment";
      case INCOMPATIBLE ->
          "versions that do not fit and a missing coprocessor: 'lampone check' names them; secret,"
              + " certificate or TLS: docs/operations/security.md; a hook that failed: the log of"
              + " the region server";
      case BAD_REQUEST, ILLEGAL_USE, TOO_LARGE -> "";
      case TABLE_NOT_TRANSACTIONAL ->
          words.list + " lists the transactional ones; " + words.enable + " makes a table one";
      case CORRUPT -> "do not write to this table; keep the logs, and report it";
    };
  }

  private static String advice(EmbeddedStartException.Reason reason) {
    return switch (reason) {
      case DATA_DIRECTORY_NOT_WRITABLE -> "--data DIR chooses another folder";
      case DATA_DIRECTORY_IN_USE -> "stop the other one, or choose another folder: --data DIR";
      case PORT_IN_USE -> "choose another port, or 0 for any free one: --zookeeper-port";
      case SERVER_FAILED -> "the log in the data folder says more";
    };
  }

  private static Optional<Failure> failure(String message, String advice) {
    return Optional.of(new Failure(message, advice));
  }

  private static String firstLine(Throwable thrown) {
    String message = thrown.getMessage();
    if (message == null || message.isBlank()) {
      return thrown.getClass().getSimpleName();
    }
    return message.strip().lines().findFirst().orElse("");
  }

  /** Returns the failure and its causes, outermost first. */
  private static List<Throwable> causes(Throwable thrown) {
    List<Throwable> causes = new ArrayList<>();
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    collect(thrown, causes, seen);
    return causes;
  }

  private static void collect(Throwable thrown, List<Throwable> causes, Set<Throwable> seen) {
    if (causes.size() >= MAX_CAUSES || !seen.add(thrown)) {
      return;
    }
    causes.add(thrown);
    if (thrown instanceof RetriesExhaustedWithDetailsException details) {
      details.getCauses().forEach(cause -> collect(cause, causes, seen));
    }
    Throwable cause = thrown.getCause();
    if (cause != null) {
      collect(cause, causes, seen);
    }
  }
}
