package io.lampone.benchmarks;

import io.lampone.benchmarks.report.Fields;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The child's side of {@link ChildProcess}. */
public final class ChildProtocol {

  /** Answers a line. */
  @FunctionalInterface
  public interface Answerer {

    /** Executes a line and returns the report. */
    Fields answer(Fields line) throws Exception;
  }

  /** A whole conversation. */
  @FunctionalInterface
  public interface Conversation {

    /** Holds it, until there are no more lines. */
    void hold() throws Exception;
  }

  private final BufferedReader in;
  private final PrintStream out;

  public ChildProtocol(InputStream in, PrintStream out) {
    this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    this.out = out;
  }

  /**
   * Holds a conversation and ends this process, whatever threads it has left: after a failure with
   * 1, and the stack trace on the error stream. If the parent ends, it ends at once.
   */
  public static void holdAndHalt(Conversation conversation) {
    ProcessHandle.current()
        .parent()
        .ifPresent(parent -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
    int code = 1;
    try {
      conversation.hold();
      code = 0;
    } catch (Exception e) {
      e.printStackTrace(System.err);
    } finally {
      Runtime.getRuntime().halt(code);
    }
  }

  /** Reports that this process is ready and answers lines until the end of input. */
  public void hold(Fields ready, Answerer answerer) throws Exception {
    say(ready);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      say(answerer.answer(Fields.parse(line)));
    }
  }

  /** Reports that this process is ready and waits for the end of input. */
  public void holdSilently(Fields ready) throws IOException {
    say(ready);
    while (in.readLine() != null) {
      // Servers get no commands over standard input.
    }
  }

  private void say(Fields line) {
    out.println(line);
    out.flush();
  }
}
