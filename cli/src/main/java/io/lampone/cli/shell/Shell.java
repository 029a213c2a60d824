package io.lampone.cli.shell;

import io.lampone.cli.Failure;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;

/**
 * Reads and runs statements until the end of the input, {@code exit}, or the first error unless
 * {@link Mode#goOn} is set.
 */
public final class Shell {

  private static final String CONTINUED = "       > ";

  private final LineSource lines;
  private final ShellSession session;
  private final PrintWriter errors;
  private final Mode mode;

  /**
   * Treatment of errors.
   *
   * @param name name of the script in messages; empty at a terminal
   * @param goOn whether to continue after an error
   * @param debug whether to print stack traces
   */
  public record Mode(String name, boolean goOn, boolean debug) {

    /** Returns the mode of a terminal session. */
    static Mode interactive(boolean debug) {
      return new Mode("", true, debug);
    }

    boolean isInteractive() {
      return name.isEmpty();
    }
  }

  public Shell(LineSource lines, ShellSession session, PrintWriter errors, Mode mode) {
    this.lines = lines;
    this.session = session;
    this.errors = errors;
    this.mode = mode;
    session.lostBlock().watch(mode.goOn() && !mode.isInteractive());
    if (mode.isInteractive()) {
      session.askBy(question -> isYes(lines.next(question + " [y/N] ").orElse("")));
    }
  }

  /** Runs all statements and returns the number of failed ones. */
  public int run() throws IOException {
    int failures = 0;
    int nextLine = 1;
    while (failures == 0 || mode.goOn()) {
      Optional<String> first =
          session.isFinished() ? Optional.empty() : lines.next(session.prompt());
      lines.takeInterrupt();
      if (first.isEmpty()) {
        if (leaves()) {
          return failures;
        }
        session.finish(false);
        continue;
      }
      int firstLine = nextLine++;
      StringBuilder text = new StringBuilder(first.get());
      List<Statement> statements = List.of();
      boolean complete = false;
      while (!complete) {
        complete = true;
        try {
          statements = StatementParser.parse(text.toString(), firstLine);
        } catch (SyntaxException e) {
          Optional<String> more = e.isIncomplete() ? lines.next(CONTINUED) : Optional.empty();
          if (lines.takeInterrupt()) {
            statements = List.of();
          } else if (more.isPresent()) {
            nextLine++;
            text.append('\n').append(more.get());
            complete = false;
          } else {
            failures++;
            if (!session.isOpen()) {
              session.lostBlock().enterAfter(text.toString());
            }
            report(e.line(), new Failure(String.valueOf(e.getMessage()), ""), e);
          }
        }
      }
      failures += runAll(statements);
    }
    return failures;
  }

  /** Returns true if the shell may end; at a terminal the user confirms a roll-back. */
  private boolean leaves() throws IOException {
    if (!session.isOpen() || !mode.isInteractive()) {
      return true;
    }
    Optional<String> answer =
        lines.next("A transaction is open, and will be rolled back. Leave? [y/N] ");
    return answer.isEmpty() || isYes(answer.get());
  }

  private static boolean isYes(String answer) {
    return answer.strip().equalsIgnoreCase("y") || answer.strip().equalsIgnoreCase("yes");
  }

  /** Runs a script and returns the number of failures, an unended transaction included. */
  int runScript() throws IOException {
    int failures = run();
    if (failures == 0 && session.mayHaveWritten()) {
      new Failure(
              "the script ends inside a transaction, which is rolled back",
              "nothing of it was written: end it with 'commit' or 'rollback'")
          .print(errors, mode.name() + ": ");
      errors.flush();
      return 1;
    }
    return failures;
  }

  private int runAll(List<Statement> statements) {
    int failures = 0;
    for (Statement statement : statements) {
      if (session.isFinished() || (failures > 0 && !(mode.goOn() && !mode.isInteractive()))) {
        // At a terminal the statements after a failed one on the same line are skipped.
        return failures;
      }
      try {
        lines.run(() -> session.execute(statement));
      } catch (IOException | RuntimeException e) {
        failures++;
        Failure failure = Failure.inShell(e);
        if (lines.takeInterrupt() && failure.isStop()) {
          errors.println(
              session.isOpen() ? "Cancelled. The transaction is still open." : "Cancelled.");
          errors.flush();
        } else {
          report(statement.line(), failure, e);
        }
      }
    }
    return failures;
  }

  private void report(int line, Failure failure, Exception cause) {
    String place = mode.isInteractive() ? "" : mode.name() + " line " + line + ": ";
    failure.print(errors, place);
    if (mode.debug()) {
      cause.printStackTrace(errors);
    }
    errors.flush();
  }
}
