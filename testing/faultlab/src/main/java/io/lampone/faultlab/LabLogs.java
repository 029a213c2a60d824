package io.lampone.faultlab;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Logs of the processes of a lab: levels and files. */
final class LabLogs {

  /** No more lines of a log are shown in a message. */
  static final int SHOWN_LINES = 25;

  private static final long SHOWN_BYTES = 64 << 10;

  private static final String LOGBACK =
      """
      <configuration>
        <statusListener class="ch.qos.logback.core.status.NopStatusListener"/>
        <appender name="ERR" class="ch.qos.logback.core.ConsoleAppender">
          <target>System.err</target>
          <encoder><pattern>%d{ISO8601} %-5level [%thread] %logger{36} %msg%n</pattern></encoder>
        </appender>
        <root level="WARN"><appender-ref ref="ERR"/></root>
      </configuration>
      """;

  private LabLogs() {}

  /** The folder of all logs but {@link #ofLab}. */
  static Path folder(Path lab) {
    return lab.resolve("logs");
  }

  /** The log of the process that runs the lab. */
  static Path ofLab(Path lab) {
    return lab.resolve("lab.log");
  }

  /**
   * Returns the option that makes a Java process of the lab log warnings and errors, to standard
   * error: its standard output is read by another process and would otherwise contain every packet
   * of ZooKeeper.
   */
  static String javaOption(Path lab) {
    return "-Dlogback.configurationFile=" + settings(lab);
  }

  /** Creates the folder, and in it the files named by {@link #javaOption}. */
  static void prepare(Path lab) throws IOException {
    Files.createDirectories(folder(lab));
    Files.writeString(settings(lab), LOGBACK);
  }

  private static Path settings(Path lab) {
    return folder(lab).resolve("logback.xml");
  }

  /** Returns the last lines of a log, for a message, or a note that there are none. */
  static String last(Path log) {
    try (var channel = Files.newByteChannel(log)) {
      channel.position(Math.max(0, channel.size() - SHOWN_BYTES));
      ByteBuffer bytes = ByteBuffer.allocate((int) (channel.size() - channel.position()));
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // It is read whole.
      }
      List<String> lines =
          new ArrayList<>(
              new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8)
                  .lines()
                  .toList());
      int from = Math.max(0, lines.size() - SHOWN_LINES);
      return "last lines of "
          + log
          + ":\n  "
          + (lines.isEmpty() ? "(empty)" : String.join("\n  ", lines.subList(from, lines.size())));
    } catch (IOException e) {
      return "no log, file=" + log;
    }
  }
}
