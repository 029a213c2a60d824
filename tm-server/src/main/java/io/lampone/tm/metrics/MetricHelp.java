package io.lampone.tm.metrics;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Properties;

/** One-line descriptions of the metrics; the reference in the manual is generated from them. */
final class MetricHelp {

  private static final String RESOURCE = "help.properties";

  private final Properties texts = new Properties();

  /** Reads the packaged texts. */
  MetricHelp() {
    try (InputStream in = MetricHelp.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException("not in the class path, resource=" + RESOURCE);
      }
      Reader reader = new InputStreamReader(in, StandardCharsets.UTF_8);
      texts.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException("resource=" + RESOURCE, e);
    }
  }

  /** Returns the description of a metric family. */
  Optional<String> of(String family) {
    return Optional.ofNullable(texts.getProperty(family));
  }
}
