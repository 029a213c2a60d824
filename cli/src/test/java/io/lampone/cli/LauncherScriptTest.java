package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/lampone} of a distribution that has no jar of ours, with any Java. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LauncherScriptTest {

  private static final Path REAL_JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  /** Exit code and output of the script. */
  private record Outcome(int exitCode, String output) {}

  @TempDir private Path home;

  @BeforeEach
  void unpack() throws IOException {
    Files.copy(Path.of("..", "bin", "lampone"), folder("bin").resolve("lampone"));
    Path jar = folder("lib").resolve("some.jar");
    new JarOutputStream(Files.newOutputStream(jar), new Manifest()).close();
    Files.writeString(home.resolve("lib/run.classpath"), "lib/some.jar\n");
    folder("conf");
  }

  @Test
  void aJavaThatDoesNotRunIsToldWithWhatItSaysAndWhatToDo() throws Exception {
    java("echo 'error while loading shared libraries: libjli.so' >&2\nexit 127\n");
    Outcome outcome = run(Map.of("JAVA_HOME", home.toString()));
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.output())
        .contains("libjli.so", "java=" + home.resolve("bin/java"), "Set JAVA_HOME to a JDK");
  }

  @Test
  void aJavaWithoutAVersionOrOfAnOldOneIsToldWithWhatToDo() throws Exception {
    java("echo nothing known >&2\n");
    assertThat(run(Map.of("JAVA_HOME", home.toString())))
        .satisfies(
            outcome -> assertThat(outcome.exitCode()).isEqualTo(1),
            outcome -> assertThat(outcome.output()).contains("nothing known", "Set JAVA_HOME"));
    java("echo 'java version \"1.8.0_301\"' >&2\n");
    assertThat(run(Map.of("JAVA_HOME", home.toString())))
        .satisfies(
            outcome -> assertThat(outcome.exitCode()).isEqualTo(1),
            outcome -> assertThat(outcome.output()).contains("found=1.8.0_301", "Set JAVA_HOME"));
    assertThat(run(Map.of("JAVA_HOME", home.resolve("conf").toString())).output())
        .contains("JAVA_HOME has no bin/java", "Set JAVA_HOME to a JDK");
  }

  @Test
  void whatRunsOutOfMemorySaysSoAndEndsWithACodeThatNoCommandHas() throws Exception {
    Path hog = home.resolve("Hog.java");
    Files.writeString(
        hog,
        "public class Hog { public static void main(String[] a) {"
            + " var all = new java.util.ArrayList<byte[]>();"
            + " while (true) all.add(new byte[1 << 20]); } }");
    // In the place of our main class.
    java("exec " + REAL_JAVA + " \"${@/#io.lampone.cli.Lampone/" + hog + "}\"\n");
    Outcome outcome = run(Map.of("JAVA_HOME", home.toString(), "LAMPONE_JAVA_OPTS", "-Xmx64m"));
    assertThat(outcome.output())
        .contains("java.lang.OutOfMemoryError: Java heap space", "lampone: out of memory");
    assertThat(outcome.exitCode()).isEqualTo(137);
  }

  @Test
  void theCollectorThatTheUserChoosesIsTheOnlyOne() throws Exception {
    java(
        "[[ $1 != -version ]] || { echo 'openjdk version \"17.0.1\"'; exit 0; }\n"
            + "printf '%s\\n' \"$@\"\n");
    Map<String, String> java = Map.of("JAVA_HOME", home.toString());
    assertThat(run(java).output()).contains("\n-XX:+UseSerialGC\n");
    Map<String, String> chosen = new HashMap<>(java);
    chosen.put("LAMPONE_JAVA_OPTS", "-Xmx2g -XX:+UseParallelGC");
    assertThat(run(chosen).output())
        .contains("\n-Xmx2g\n-XX:+UseParallelGC\n")
        .doesNotContain("UseSerialGC");
    chosen.put("LAMPONE_JAVA_OPTS", "-XX:+UseGCOverheadLimit");
    assertThat(run(chosen).output()).contains("\n-XX:+UseSerialGC\n");
  }

  @Test
  void theConsoleRunsAtALowerPriority() throws Exception {
    java(
        "[[ $1 != -version ]] || { echo 'openjdk version \"17.0.1\"'; exit 0; }\n"
            + "echo \"niceness $(nice)\"\n");
    Map<String, String> environment = Map.of("JAVA_HOME", home.toString());
    int own = niceness(run(environment));
    int ofConsole = niceness(run(environment, "console"));
    assertThat(ofConsole).isEqualTo(Math.min(own + 10, 19));
  }

  @Test
  void commandsThatNeedPhoenixRunWithIt() throws Exception {
    Path jar = folder("lib/sql").resolve("lampone-sql-1.jar");
    Files.copy(home.resolve("lib/some.jar"), jar);
    Files.writeString(home.resolve("lib/sql.classpath"), "lib/some.jar\n");
    java(
        "[[ $1 != -version ]] || { echo 'openjdk version \"17.0.1\"'; exit 0; }\n"
            + "printf '%s\\n' \"$@\"\n");
    Map<String, String> java = Map.of("JAVA_HOME", home.toString());
    for (String command : List.of("sql", "bench sql", "quickstart --sql", "doctor --json --sql")) {
      assertThat(run(java, command.split(" ")).output()).as(command).contains(jar.toString());
    }
    for (String command : List.of("doctor", "quickstart", "table list --sql")) {
      assertThat(run(java, command.split(" ")).output())
          .as(command)
          .contains("some.jar")
          .doesNotContain(jar.toString());
    }
  }

  private static int niceness(Outcome outcome) {
    return Integer.parseInt(outcome.output().strip().replace("niceness ", ""));
  }

  private Path folder(String name) throws IOException {
    return Files.createDirectory(home.resolve(name));
  }

  /** Creates the fake Java of this home. */
  private void java(String script) throws IOException {
    Path java = home.resolve("bin/java");
    Files.writeString(java, "#!/usr/bin/env bash\n" + script);
    assertThat(java.toFile().setExecutable(true)).isTrue();
  }

  private Outcome run(Map<String, String> environment) throws IOException, InterruptedException {
    return run(environment, "version");
  }

  private Outcome run(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder("bash", home.resolve("bin/lampone").toString())
            .redirectErrorStream(true);
    builder.command().addAll(List.of(arguments));
    builder.environment().remove("LAMPONE_JAVA_OPTS");
    builder.environment().remove("LAMPONE_CONF_DIR");
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.waitFor(), output);
  }
}
