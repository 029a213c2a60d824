package io.lampone.torture;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The process of a lab: the first one in namespaces of its own, where there are any. Its standard
 * output is read by {@link Torture}.
 */
final class TortureMain {

  /** Begins the last line. */
  static final String RESULT = "RESULT ";

  /** The argument that says that it has namespaces of its own. */
  static final String ISOLATED = "isolated";

  private static final int EXIT_FAILED = 3;
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private TortureMain() {}

  /** Runs one lab. */
  public static void main(String[] arguments) {
    Map<String, String> values = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      values.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    Clock clock = SystemClock.INSTANCE;
    long start = clock.monotonicNanos();
    boolean isolated = Boolean.parseBoolean(values.get(ISOLATED));
    try {
      Lab lab =
          new Lab(
              LabPlan.parse(values),
              isolated,
              clock,
              text ->
                  say(
                      String.format(
                          Locale.ROOT,
                          "[%6.1f s] %s",
                          (clock.monotonicNanos() - start) / NANOS,
                          text)));
      say(RESULT + lab.run().toJson());
      Runtime.getRuntime().halt(0);
    } catch (IOException | RuntimeException e) {
      e.printStackTrace();
      Runtime.getRuntime().exit(EXIT_FAILED);
    } catch (InterruptedException e) {
      Runtime.getRuntime().exit(EXIT_FAILED);
    }
  }

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
