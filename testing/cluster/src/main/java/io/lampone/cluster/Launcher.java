package io.lampone.cluster;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts a member as a process that outlives this one. With this process's Java, and the member's
 * settings in front of the class path.
 */
final class Launcher {

  private final MemberFiles files;
  private final Hosts hosts;

  Launcher(MemberFiles files, Hosts hosts) {
    this.files = files;
    this.hosts = hosts;
  }

  ClusterMember start(ClusterMember member, String classPath) {
    if (member.process().isPresent()) {
      throw new ClusterException("it is running already, name=" + member.name());
    }
    Path log = files.log(member);
    ProcessBuilder builder =
        new ProcessBuilder(command(member))
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(log.toFile()))
            .redirectInput(Redirect.from(Path.of("/dev/null").toFile()));
    builder.environment().put("CLASSPATH", files.settingsFolder(member) + ":" + classPath);
    try {
      return member.running(builder.start().toHandle());
    } catch (IOException e) {
      throw new ClusterException("cannot be started, name=" + member.name() + " log=" + log, e);
    }
  }

  private List<String> command(ClusterMember member) {
    List<String> command = new ArrayList<>(hosts.prefix(member.name()));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx" + member.role().heapMegabytes() + "m");
    command.add("-XX:+UseSerialGC");
    command.add("-XX:+ExitOnOutOfMemoryError");
    command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
    // Makes the member recognizable in the list of processes.
    command.add("-Dlampone.member=" + member.name());
    command.add(member.role().mainClass());
    command.addAll(member.role().arguments());
    command.addAll(files.arguments(member));
    return command;
  }
}
