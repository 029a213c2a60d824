package io.lampone.faultlab;

import io.lampone.faultlab.report.LabResult;
import io.lampone.faultlab.work.client.CoverageDump;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The process of a lab: the first one in separate namespaces, where there are any. It reads rounds
 * from its standard input, one after the other, until that ends; {@link FaultLabMain} reads its
 * standard output.
 */
final class TortureMain {

  /** Begins the last line of a round. */
  static final String RESULT = "RESULT ";

  /** Between the arguments of a round's {@link LabPlan}. */
  static final String SEPARATOR = "\t";

  /** The argument for a process in separate namespaces. */
  static final String ISOLATED = "isolated=";

  private static final int EXIT_FAILED = 3;
  private static final int EXIT_ORPHANED = 5;
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private TortureMain() {}

  /** Runs one lab. */
  public static void main(String[] arguments) {
    boolean isolated = List.of(arguments).contains(ISOLATED + true);
    Clock clock = SystemClock.INSTANCE;
    long start = clock.monotonicNanos();
    Consumer<String> progress =
        text ->
            say(
                String.format(
                    Locale.ROOT, "[%6.1f s] %s", (clock.monotonicNanos() - start) / NANOS, text));
    LabPlan plan = LabPlan.parse(List.of(arguments));
    // The shutdown hook of the lab ends all that it has started.
    CommandReader orders =
        CommandReader.listen(System.in, () -> Runtime.getRuntime().exit(EXIT_ORPHANED));
    try (FaultLab lab = FaultLab.start(plan, isolated, clock, progress)) {
      Optional<String> line = orders.next();
      while (line.isPresent()) {
        LabPlan round = LabPlan.parse(List.of(line.get().split(SEPARATOR, -1)));
        LabResult result = lab.round(round);
        orders.done();
        say(RESULT + result.toJson());
        line = orders.next();
      }
    } catch (IOException | RuntimeException e) {
      e.printStackTrace();
      Runtime.getRuntime().exit(EXIT_FAILED);
    } catch (InterruptedException e) {
      Runtime.getRuntime().exit(EXIT_FAILED);
    }
    CoverageDump.write();
    Runtime.getRuntime().halt(0);
  }

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
