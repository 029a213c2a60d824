package io.lampone.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/**
 * Destination of the log of interactive commands, apart from the dialog. Replaces any configured
 * logging.
 */
public final class Logging {

  private static final String PATTERN = "%d{ISO8601} %-5level [%thread] %logger{36} %msg%n";

  private static final String SERVER = "/lampone-tm-logback.xml";

  private Logging() {}

  /** Appends the log to a file. */
  public static void toFile(Path file) {
    FileAppender<ILoggingEvent> appender = new FileAppender<>();
    appender.setFile(file.toString());
    install(appender, Level.INFO);
  }

  /** Logs to standard error: everything with {@code debug}, otherwise nothing. */
  public static void toStandardError(boolean debug) {
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setTarget("System.err");
    install(appender, debug ? Level.INFO : Level.OFF);
  }

  /**
   * Logs to standard error, as a server does: by {@code lampone-tm-logback.xml}, or by the file
   * that the user has named. ZooKeeper's client logs only with {@code debug}: it logs a stack trace
   * each second while ZooKeeper is unreachable; the server reports that once.
   */
  public static void ofServer(boolean debug) {
    if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)
        || System.getProperty("logback.configurationFile") != null) {
      return;
    }
    context.reset();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    try {
      configurator.doConfigure(Logging.class.getResource(SERVER));
    } catch (JoranException e) {
      throw new IllegalStateException("the file does not configure the log, file=" + SERVER, e);
    }
    context.getLogger("org.apache").setLevel(debug ? Level.INFO : Level.OFF);
  }

  private static void install(OutputStreamAppender<ILoggingEvent> appender, Level level) {
    if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      return;
    }
    context.reset();
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(level);
    root.addAppender(appender);
  }
}
