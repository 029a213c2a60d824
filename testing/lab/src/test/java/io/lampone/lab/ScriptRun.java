package io.lampone.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A script that has ended, with its standard output and error. */
record ScriptRun(int exitCode, String output) {

  static ScriptRun of(Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("MAVEN_GPG_"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new ScriptRun(process.waitFor(), output);
  }

  /** Turns a folder into a clone with all files committed, as with umask 022. */
  static void commitAll(Path folder) throws IOException, InterruptedException {
    Files.setPosixFilePermissions(
        folder.resolve("pom.xml"), PosixFilePermissions.fromString("rw-r--r--"));
    git(folder, "init", "-q");
    git(folder, "add", "-A");
    git(
        folder,
        "-c",
        "user.name=Test",
        "-c",
        "user.email=test@example.org",
        "commit",
        "-q",
        "--no-gpg-sign",
        "-m",
        "Test");
  }

  private static void git(Path folder, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git", "-C", folder.toString()));
    command.addAll(List.of(arguments));
    ScriptRun run = of(Map.of(), command);
    if (run.exitCode() != 0) {
      throw new IOException(command + ": " + run.output());
    }
  }
}
