package io.lampone.cli;

import io.lampone.cli.backup.BackupOptions;
import io.lampone.client.LamponeClientConfig;
import io.lampone.coprocessor.core.RegionServerSettings;
import io.lampone.coprocessor.healer.HealerSettings;
import io.lampone.protocol.config.NearestName;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tmclient.ClientProperties;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/** Location, content and validation of {@code lampone-site.xml}. */
public final class SiteFile {

  /** Name of the file in the settings folder. */
  static final String NAME = "lampone-site.xml";

  /** System property by which bin/lampone passes the settings folder. */
  private static final String FOLDER_PROPERTY = "lampone.conf";

  private static final String ZOOKEEPER_PREFIX = "lampone.zookeeper.";

  private static final String HBASE_NAME = "hbase-site.xml";

  private static final String NAME_ANOTHER =
      "name a file such as conf/" + NAME + ", or an " + HBASE_NAME;

  private static final String MAKE_READABLE =
      "let the user of this command read it; without it defaults hold: no authentication, no TLS";

  private SiteFile() {}

  /** Returns the {@code hbase-site.xml} in the same folder, readable or not; empty if absent. */
  static Optional<Path> hbaseSite() {
    return inFolder(HBASE_NAME);
  }

  /**
   * Reads the one of the folder of settings, if there is one, into {@code configuration}.
   *
   * @throws CommandException if there is one that cannot be read
   */
  static void addTo(Configuration configuration) {
    inFolder(NAME).ifPresent(file -> add(file, configuration, MAKE_READABLE));
  }

  /**
   * The settings of a file; of the one in the folder of settings, maybe none, if {@code file} is
   * null.
   *
   * @throws CommandException if it cannot be read
   */
  public static Configuration read(@Nullable Path file) {
    Configuration configuration = new Configuration(false);
    if (file == null) {
      addTo(configuration);
    } else {
      add(file, configuration, NAME_ANOTHER);
    }
    return configuration;
  }

  /**
   * Reads the settings of a file as 'tm run' does: a properties file, unless its name ends in .xml.
   *
   * @throws CommandException if it is unreadable
   */
  public static Configuration readAny(@Nullable Path file) {
    if (file == null || file.toString().endsWith(".xml")) {
      return read(file);
    }
    requireReadable(file, NAME_ANOTHER);
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new CommandException(
          "not a properties file: " + file, "a site file must have a name that ends in .xml", e);
    }
    Configuration configuration = new Configuration(false);
    properties
        .stringPropertyNames()
        .forEach(name -> configuration.set(name, properties.getProperty(name)));
    return configuration;
  }

  /** Returns the file that {@link #read} reads, as a line for the log. */
  public static String origin(@Nullable Path file) {
    Optional<Path> read = Optional.ofNullable(file).or(() -> inFolder(NAME));
    if (read.isPresent()) {
      return "settings read, file=" + read.get().toAbsolutePath();
    }
    return "no file of settings, defaults hold for what the command line does not say, file="
        + path(NAME).map(none -> none.toAbsolutePath().toString()).orElse("none");
  }

  /**
   * Reads a file into {@code configuration}.
   *
   * @param advice advice to the user if the file is unreadable
   * @throws CommandException if it cannot be read
   */
  static void add(Path file, Configuration configuration, String advice) {
    requireReadable(file, advice);
    try {
      configuration.addResource(new org.apache.hadoop.fs.Path(file.toAbsolutePath().toUri()));
      configuration.size(); // reads the file now, so that the error names it
    } catch (RuntimeException e) {
      throw new CommandException("not a configuration file: " + file, "it must be XML", e);
    }
  }

  private static void requireReadable(Path file, String advice) {
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      throw new CommandException("cannot read the file " + file + ": " + obstacle(file), advice);
    }
  }

  /**
   * Returns the path of a file unless it is missing. An unreadable file is not missing: without its
   * settings all clients would be admitted.
   */
  private static Optional<Path> inFolder(String name) {
    return path(name).filter(file -> !Files.notExists(file, LinkOption.NOFOLLOW_LINKS));
  }

  private static Optional<Path> path(String name) {
    return Optional.ofNullable(System.getProperty(FOLDER_PROPERTY))
        .map(folder -> Path.of(folder).resolve(name));
  }

  private static String obstacle(Path file) {
    if (Files.isDirectory(file)) {
      return "it is a folder";
    }
    if (!Files.notExists(file)) {
      return "this user may not";
    }
    return Files.isSymbolicLink(file) ? "it is a link that leads nowhere" : "there is none";
  }

  /** Returns the properties of {@code configuration} that concern the transaction manager. */
  public static Properties managerProperties(Configuration configuration) {
    Properties properties = new Properties();
    ours(configuration)
        .forEach(
            (name, value) -> {
              if (name.startsWith(TransactionManagerConfig.PREFIX)) {
                properties.setProperty(name, value);
              }
            });
    return properties;
  }

  /** Returns the problems in our properties of {@code configuration}; one line each. */
  public static List<String> problems(Configuration configuration) {
    List<String> problems = new ArrayList<>(unknown(configuration));
    if (!problems.isEmpty()) {
      return problems; // the readers would name the same ones again
    }
    attempt(problems, () -> LamponeClientConfig.from(configuration));
    attempt(problems, () -> ClientProperties.read(configuration::getTrimmed).build());
    attempt(problems, () -> HealerSettings.from(configuration));
    RegionServerSettings.ALL.forEach(
        each -> attempt(problems, () -> each.read(configuration::getTrimmed)));
    attempt(problems, () -> BackupOptions.KEY_FILE.read(configuration::getTrimmed));
    attempt(
        problems, () -> TransactionManagerConfig.fromProperties(managerProperties(configuration)));
    return problems;
  }

  /** Returns properties with our prefix that are not read. */
  public static List<String> unknown(Configuration configuration) {
    return unknown(configuration, name -> true);
  }

  /** Returns those of them with a client's prefix. */
  public static List<String> unknownToClients(Configuration configuration) {
    return unknown(
        configuration,
        name -> name.startsWith(ClientProperties.PREFIX) || name.startsWith(ZOOKEEPER_PREFIX));
  }

  private static List<String> unknown(Configuration configuration, Predicate<String> judged) {
    List<String> known = PropertyReference.names();
    return ours(configuration).keySet().stream()
        .filter(judged)
        .filter(name -> !known.contains(name))
        .map(name -> "unknown property, " + NearestName.advice(name, known) + " name=" + name)
        .toList();
  }

  private static Map<String, String> ours(Configuration configuration) {
    Map<String, String> found = new TreeMap<>();
    for (Map.Entry<String, String> entry : configuration) {
      if (entry.getKey().startsWith(PropertyReference.PREFIX)) {
        found.put(entry.getKey(), String.valueOf(configuration.getTrimmed(entry.getKey())));
      }
    }
    return found;
  }

  private static void attempt(List<String> problems, Runnable reading) {
    try {
      reading.run();
    } catch (IllegalArgumentException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
  }
}
