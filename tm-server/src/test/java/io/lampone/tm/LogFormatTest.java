package io.lampone.tm;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a line of the log looks like; nothing that a stranger sends makes a second one. */
final class LogFormatTest {

  private static final String NASTY = "client turned away, principal=a\"b\\c\nforged line\u0001";

  @Test
  void aLineOfTextHasNoLineBreakInside() throws Exception {
    assertThat(format("text", null))
        .containsOnlyOnce("\n")
        .endsWith("client turned away, principal=a\"b\\c forged line\u0001\n")
        .contains(" WARN  Test ");
  }

  @Test
  void aLineOfJsonEscapesWhatMustBeEscaped() throws Exception {
    String line = format("json", new IllegalStateException("a \"quoted\" cause"));
    assertThat(line)
        .containsOnlyOnce("\n")
        .startsWith("{\"time\":\"20")
        .contains("\"level\":\"WARN\"", "\"logger\":\"io.lampone.Test\"")
        .contains("\"message\":\"client turned away, principal=a\\\"b\\\\c forged line \"")
        .contains("a \\\"quoted\\\" cause")
        .endsWith("\"}\n");
  }

  @Test
  void theAuditLogIsWrittenWhateverTheLevelIs() throws Exception {
    LoggerContext context = configured("text", "ERROR");
    assertThat(context.getLogger("lampone.audit").isInfoEnabled()).isTrue();
    assertThat(context.getLogger("io.lampone.tm").isWarnEnabled()).isFalse();
  }

  private static LoggerContext configured(String format, String level) throws Exception {
    LoggerContext context = new LoggerContext();
    context.putProperty("lampone.log.format", format);
    context.putProperty("lampone.log.level", level);
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    URL file = LogFormatTest.class.getResource("/lampone-tm-logback.xml");
    configurator.doConfigure(file);
    return context;
  }

  private static String format(String format, Throwable thrown) throws Exception {
    LoggerContext context = configured(format, "INFO");
    LoggingEvent event =
        new LoggingEvent(
            "here", context.getLogger("io.lampone.Test"), Level.WARN, NASTY, thrown, new Object[0]);
    ConsoleAppender<ILoggingEvent> appender =
        (ConsoleAppender<ILoggingEvent>) context.getLogger("ROOT").getAppender("CONSOLE");
    return new String(appender.getEncoder().encode(event), StandardCharsets.UTF_8);
  }
}
