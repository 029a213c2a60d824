package io.lampone.benchmarks.command;

import io.lampone.cli.Failure;
import io.lampone.cli.Logging;
import io.lampone.cli.Progress;
import io.lampone.cli.StopSignal;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Common part of commands that measure: output and exit. */
public final class Measuring {

  @Spec(Spec.Target.MIXEE)
  CommandSpec spec;

  @Option(
      names = "--json",
      description = "Standard output is one line of JSON; what people read goes to the other one.")
  boolean json;

  @Option(names = "--debug", description = "Shows stack traces and the log.")
  boolean debug;

  /** Measurement of a command. */
  @FunctionalInterface
  public interface Run {

    /**
     * @return the exit code
     */
    int run(Progress progress) throws IOException, InterruptedException;
  }

  /**
   * Runs the measurement until it ends or is stopped.
   *
   * @return the exit code; 1 for a failure, which has been reported
   * @throws ParameterException from the measurement, for a wrong option
   */
  public int run(Run run) {
    Logging.toStandardError(debug);
    PrintWriter people = json ? errors() : out();
    Progress progress = new Progress(people, ManagementFactory.getRuntimeMXBean()::getUptime);
    try (StopSignal stop = StopSignal.forThisThread()) {
      try {
        return run.run(progress);
      } catch (ParameterException e) {
        throw e;
      } catch (IOException | InterruptedException | RuntimeException e) {
        if (stop.isRaised()) {
          progress.print("Stopped.");
        } else {
          Failure.print(errors(), e, debug);
        }
        return 1;
      } finally {
        out().flush();
      }
    }
  }

  /**
   * Prints figures.
   *
   * @param lines for people
   * @param line for scripts, if they are wanted
   */
  public void report(Progress progress, List<String> lines, String line) {
    lines.forEach(progress::print);
    if (json) {
      out().println(line);
    }
  }

  PrintWriter out() {
    return spec.commandLine().getOut();
  }

  PrintWriter errors() {
    return spec.commandLine().getErr();
  }

  void requireIn(String option, long value, long least, long most) {
    require(
        value >= least && value <= most,
        option + " must be in " + least + ".." + most + ", not " + value);
  }

  void require(boolean condition, String message) {
    if (!condition) {
      throw refuse(message);
    }
  }

  ParameterException refuse(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
