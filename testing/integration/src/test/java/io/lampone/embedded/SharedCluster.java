package io.lampone.embedded;

import io.lampone.client.LamponeClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Parameters of a test class: one cluster with two region servers, and a client of it. All test
 * classes of a JVM with these parameters share it, so they must not harm it; others start their
 * own. Only tests raise its safe point: after one that the manager has published by itself, region
 * servers would believe a younger one only as fast as time passes.
 */
public final class SharedCluster implements ParameterResolver {

  /** Longer than all tests together. */
  private static final Duration RETENTION = Duration.ofHours(12);

  private static final Namespace NAMESPACE = Namespace.create(SharedCluster.class);

  /** Started by the first class that needs it, closed when the last test has ended. */
  private static final class Running implements AutoCloseable {

    private final Path folder;
    private final EmbeddedLampone cluster;
    private final LamponeClient client;

    Running() {
      try {
        folder = Files.createTempDirectory("lampone-it");
        cluster =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).retention(RETENTION).build());
        client = LamponeClient.connect(cluster.configuration());
      } catch (IOException e) {
        throw new UncheckedIOException("the cluster of the tests does not start", e);
      }
    }

    @Override
    public void close() throws IOException {
      try (cluster) {
        client.close();
      }
      try (Stream<Path> files = Files.walk(folder)) {
        List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
        for (Path file : deepestFirst) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == EmbeddedLampone.class || type == LamponeClient.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Running running =
        context
            .getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
            .getOrComputeIfAbsent(Running.class, type -> new Running(), Running.class);
    return parameter.getParameter().getType() == EmbeddedLampone.class
        ? running.cluster
        : running.client;
  }
}
