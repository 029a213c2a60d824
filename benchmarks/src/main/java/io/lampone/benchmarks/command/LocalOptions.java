package io.lampone.benchmarks.command;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options of a transaction manager that a tool starts itself. */
final class LocalOptions {

  @Option(
      names = "--local",
      description = "Starts a transaction manager in a process of its own, and loads that.")
  boolean wanted;

  @Option(
      names = "--store",
      description =
          "Where it keeps its record: ${COMPLETION-CANDIDATES} (a ZooKeeper in this process)."
              + " Default: ${DEFAULT-VALUE}.")
  Store store = Store.EMBEDDED;

  @Option(
      names = "--pin",
      paramLabel = "TM,LOAD",
      description = "Binds it, and this process, to one processor each: 0,1.")
  @Nullable String pin;

  @Option(
      names = "--tm-property",
      paramLabel = "NAME=VALUE",
      description = "A property of it, lampone.tm....; may be repeated.")
  List<String> properties = List.of();

  @Option(
      names = "--tm-java",
      paramLabel = "OPTION",
      description = "An option of its JVM; may be repeated.")
  List<String> javaOptions = List.of();

  /** Store of the record. */
  enum Store {
    MEMORY,
    EMBEDDED
  }

  /** Returns the store as written on the command line. */
  String store() {
    return store.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the two processors, or an empty list. */
  List<Integer> cpus(Function<String, ParameterException> refusal) {
    if (pin == null) {
      return List.of();
    }
    if (!pin.matches("[0-9]{1,4},[0-9]{1,4}")) {
      throw refusal.apply("--pin takes two processors, as in 0,1, not '" + pin + "'");
    }
    return Arrays.stream(pin.split(",", -1)).map(Integer::valueOf).toList();
  }
}
