package io.lampone.benchmarks.command;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Locator of Apache Omid: among the test dependencies of module benchmarks, and nowhere else. So
 * only a source tree has it, and {@code benchmarks/run} knows how to get it.
 */
final class OmidArtifacts {

  /**
   * The system property in which {@code bin/lampone} names its source tree; empty if it has none.
   */
  static final String SOURCE_TREE = "lampone.source.tree";

  private final @Nullable String sourceTree;
  private final Consumer<String> progress;

  OmidArtifacts(@Nullable String sourceTree, Consumer<String> progress) {
    this.sourceTree = sourceTree;
    this.progress = progress;
  }

  /** The class path of Omid's processes; nothing, and why not, where there is none. */
  Optional<String> classPath() throws IOException, InterruptedException {
    if (sourceTree == null || sourceTree.isEmpty()) {
      progress.accept(
          "Omid is not compared: its jars are no part of a distribution. It is compared by"
              + " bin/lampone of a source tree");
      return Optional.empty();
    }
    Path script = Path.of(sourceTree, "benchmarks", "run");
    if (!Files.isExecutable(script)) {
      progress.accept("Omid is not compared: there is no script to get it with, script=" + script);
      return Optional.empty();
    }
    progress.accept("Building the adapter for Omid, and getting Omid from Maven Central");
    Process process =
        new ProcessBuilder(script.toString(), "omid-classpath")
            .redirectError(Redirect.INHERIT)
            .start();
    String printed =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (process.waitFor() != 0 || printed.isEmpty()) {
      progress.accept(
          "Omid is not compared: it could not be built or downloaded; the messages are above,"
              + " command="
              + script
              + " omid-classpath");
      return Optional.empty();
    }
    return Optional.of(printed.substring(printed.lastIndexOf('\n') + 1));
  }
}
