package io.lampone.tmclient;

import io.lampone.protocol.config.Property;
import io.lampone.protocol.connect.ClientKerberos;
import java.util.List;

/** The declarations of {@link ClientProperties}, in the order of the reference page. */
public final class TmClientPropertyList {

  /** All properties. */
  public static final List<Property> ALL =
      List.of(
          Property.duration(
              name("timeout"),
              "10s",
              "10ms",
              "60m",
              "One request to the transaction manager, repetitions included."),
          Property.duration(
              name("connect.timeout"),
              "2s",
              "1ms",
              "",
              "Finding a transaction manager, connecting and greeting."),
          Property.duration(
              name("stall.timeout"),
              "1s",
              "1ms",
              "",
              "How long one may send nothing while a request waits, before its connection is given up."),
          Property.duration(
              name("backoff.cap"),
              "1s",
              "1ms",
              "",
              "Longest pause before a repetition of a request to it, unless it asks for a longer one."),
          Property.count(
              name("outstanding"),
              1 << 16,
              1,
              Integer.MAX_VALUE,
              "Requests to it under way; more fail at once."),
          Property.count(
              name("frames.in.flight"),
              4,
              1,
              64,
              "Frames to it under way; requests meanwhile are collected for the next one."),
          Property.text(name("principal"), "", "Who the client says it is."),
          Property.text(name("tenant"), "", "The tenant that it works for."),
          Property.file(
              name("secret.file"),
              "A file with the shared secret, 16 bytes or more; the transaction manager must prove"
                  + " that it knows it too."),
          Property.flag(
              name("kerberos"),
              false,
              "Whether the client shows a Kerberos ticket, and demands one of the transaction"
                  + " manager."),
          Property.text(
              name("kerberos.service"),
              ClientKerberos.DEFAULT_SERVICE,
              "The first component of the transaction manager's principal, service/host@REALM."),
          Property.text(
              name("kerberos.principal"),
              "",
              "The client's own principal. Unless it is set: that of HBase's login, or of the ticket"
                  + " cache."),
          Property.file(
              name("kerberos.keytab.file"),
              "The keytab with the keys of that principal; without it HBase's login or the ticket"
                  + " cache has the ticket."),
          Property.flag(name("tls"), false, "TLS 1.3."),
          Property.file(
              name("tls.authority.file"),
              "PEM: who signs the certificates of transaction managers. Java's authorities unless"
                  + " it is set."),
          Property.file(name("tls.certificate.file"), "PEM: the client's own certificate."),
          Property.file(name("tls.key.file"), "PEM: its key (PKCS#8, unencrypted)."),
          Property.flag(
              name("tls.verify.host"),
              true,
              "Whether the certificate must be made out to the host that is connected to."));

  private TmClientPropertyList() {}

  private static String name(String shortName) {
    return ClientProperties.PREFIX + shortName;
  }
}
