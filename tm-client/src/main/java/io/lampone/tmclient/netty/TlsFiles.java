package io.lampone.tmclient.netty;

import io.lampone.protocol.connect.ClientTls;
import io.lampone.protocol.connect.SecurityFiles;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's TLS context, created from its files, and again when they change. While they cannot be
 * used, the last context stays in force. Not thread-safe.
 */
final class TlsFiles {

  private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);
  private static final String TLS_VERSION = "TLSv1.3";
  private static final String HOST_NAME_RULES = "HTTPS";

  private final ClientTls tls;
  private SslContext context;

  /** State of the files before they were last read. */
  private List<Object> stamp;

  /** Reason why the files were unusable the last time; empty if they were usable. */
  private String problem = "";

  /**
   * Reads the files for the first time.
   *
   * @throws IllegalArgumentException if one does not have the expected content
   */
  TlsFiles(ClientTls tls) {
    this.tls = tls;
    try {
      this.stamp = stamp();
      this.context = read();
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(problem(e), e);
    }
  }

  /** Returns the context for a new connection. */
  SslContext context() {
    try {
      // Before reading: a change meanwhile is then read the next time.
      List<Object> now = stamp();
      if (!now.equals(stamp) || !problem.isEmpty()) {
        context = read();
        stamp = now;
        problem = "";
      }
    } catch (IOException | RuntimeException e) {
      if (!problem.equals(problem(e))) {
        problem = problem(e);
        LOG.warn("{}; what was read before stays in force", problem);
      }
    }
    return context;
  }

  private String problem(Exception cause) {
    return "TLS files cannot be used: PEM certificates and an unencrypted PKCS#8 key are needed, tls="
        + tls
        + " cause="
        + cause.getMessage();
  }

  private List<Object> stamp() throws IOException {
    List<Object> stamps = new ArrayList<>();
    for (Path file :
        Stream.of(tls.authorityFile(), tls.certificateFile(), tls.keyFile())
            .flatMap(Optional::stream)
            .toList()) {
      BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
      stamps.add(List.of(now.lastModifiedTime(), now.size(), String.valueOf(now.fileKey())));
    }
    return stamps;
  }

  private SslContext read() throws IOException {
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .protocols(TLS_VERSION)
            .endpointIdentificationAlgorithm(tls.verifyHostName() ? HOST_NAME_RULES : "");
    tls.authorityFile().ifPresent(file -> builder.trustManager(file.toFile()));
    if (tls.certificateFile().isPresent() && tls.keyFile().isPresent()) {
      SecurityFiles.requirePrivate(tls.keyFile().get());
      builder.keyManager(tls.certificateFile().get().toFile(), tls.keyFile().get().toFile());
    }
    return builder.build();
  }
}
