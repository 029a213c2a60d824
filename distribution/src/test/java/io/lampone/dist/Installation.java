package io.lampone.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cluster.LocalCluster;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An unpacked tarball, as an operator has it. */
record Installation(Path home) {

  /** How a command ended, and all that it said. */
  record Outcome(int exitCode, String output) {}

  /** Unpacks a tarball into a folder that is made for it. */
  static Installation unpack(String tarball, Path folder) throws IOException, InterruptedException {
    Path unpacked = Files.createDirectory(folder);
    untar(tarball, unpacked);
    return new Installation(onlyFile(unpacked));
  }

  /** Unpacks a further tarball over this one. */
  void add(String tarball) throws IOException, InterruptedException {
    Path folder = home.getParent();
    untar(tarball, folder);
    assertThat(onlyFile(folder)).isEqualTo(home);
  }

  private static void untar(String tarball, Path folder) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("tar", "xzf", tarball, "-C", folder.toString()).start().waitFor())
        .as("tar of " + tarball)
        .isZero();
  }

  /** The one jar for HBase. */
  Path coprocessor() throws IOException {
    return file("coprocessor", "lampone-coprocessor-");
  }

  /** The same for HBase on Java 11. */
  Path coprocessorForJava11() throws IOException {
    return onlyFile(home.resolve("coprocessor/jdk11"));
  }

  /** HBase, ZooKeeper and what they need; nothing of ours. */
  String hbaseJars() throws IOException {
    String classPath =
        Arrays.stream(Files.readString(home.resolve("lib/run.classpath")).strip().split(":"))
            .filter(jar -> !jar.startsWith("lib/lampone-"))
            .map(jar -> home.resolve(jar).toString())
            .collect(Collectors.joining(":"));
    assertThat(classPath).contains("hbase-server").doesNotContain("lib/lampone-");
    return classPath;
  }

  /** A file in one of its folders by how its name begins. */
  Path file(String directory, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(home.resolve(directory))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .findFirst()
          .orElseThrow();
    }
  }

  /** From now on its command knows where the cluster is. */
  void use(Path site) throws IOException {
    Files.copy(site, home.resolve("conf/hbase-site.xml"), StandardCopyOption.REPLACE_EXISTING);
  }

  Outcome run(String... arguments) throws IOException, InterruptedException {
    return run(Map.of(), arguments);
  }

  Outcome run(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    return finish(builder(home.resolve("bin/lampone"), environment, arguments));
  }

  /** Runs the command by another name of it. */
  static Outcome runFile(Path file, String... arguments) throws IOException, InterruptedException {
    return finish(builder(file, Map.of(), arguments));
  }

  /** Starts a transaction manager on any free ports; the cluster is in the folder. */
  Process startManager(LocalCluster cluster, Path folder) throws IOException {
    return builder(
            home.resolve("bin/lampone"),
            Map.of(),
            "tm",
            "run",
            "-z",
            cluster.quorum(),
            "-D",
            "lampone.tm.security.cluster.key.file=" + folder.resolve("cluster/cluster.key"),
            "-D",
            "lampone.tm.bind.host=127.0.0.1",
            "-D",
            "lampone.tm.advertised.host=127.0.0.1",
            "-D",
            "lampone.tm.bind.port=0",
            "-D",
            "lampone.tm.http.port=-1")
        .redirectOutput(Redirect.appendTo(folder.resolve("manager.log").toFile()))
        .start();
  }

  private static Outcome finish(ProcessBuilder builder) throws IOException, InterruptedException {
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.waitFor(), output);
  }

  private static ProcessBuilder builder(
      Path command, Map<String, String> environment, String... arguments) {
    List<String> line = new ArrayList<>(List.of(command.toString()));
    line.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().putAll(environment);
    return builder;
  }

  private static Path onlyFile(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> all = files.toList();
      assertThat(all).hasSize(1);
      return all.get(0);
    }
  }
}
