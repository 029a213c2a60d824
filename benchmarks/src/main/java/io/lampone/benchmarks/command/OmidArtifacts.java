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
 * Locator of Apache Omid. Omid is a test dependency of the module benchmarks only; therefore it is
 * available only in a source tree, through {@code benchmarks/run}.
 */
final class OmidArtifacts {

  /** System property with the source tree of {@code bin/lampone}; empty if there is none. */
  static final String SOURCE_TREE = "lampone.source.tree";

  private final @Nullable String sourceTree;
  private final Consumer<String> progress;

  OmidArtifacts(@Nullable String sourceTree, Consumer<String> progress) {
    this.sourceTree = sourceTree;
    this.progress = progress;
  }

  /** Returns the class path of Omid's processes, or empty, and reports the reason. */
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
