package io.lampone.cli.check;

import static io.lampone.cli.check.Finding.fail;
import static io.lampone.cli.check.Finding.ok;
import static io.lampone.cli.check.Finding.warn;

import io.lampone.cli.check.Finding.Level;
import io.lampone.hbase.ServerAnswer;
import io.lampone.protocol.Compatibility;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Check of HBase's versions and of the coprocessor's jar on every region server. */
final class ServersCheck {

  private static final String HBASE = "hbase";
  private static final String COPROCESSOR = "coprocessor";

  private ServersCheck() {}

  /**
   * State of a region server.
   *
   * @param name {@code host:port}
   * @param hbaseVersion as it reports to the master
   * @param answer reply of the coprocessor; empty if there is none
   * @param problem reason for the lack of a reply
   * @param asked whether a request could be sent: it must hold a region
   */
  record Server(
      String name,
      String hbaseVersion,
      Optional<ServerAnswer> answer,
      String problem,
      boolean asked) {}

  static List<Finding> judge(List<Server> servers) {
    List<Finding> findings = new ArrayList<>();
    if (servers.isEmpty()) {
      findings.add(
          fail(
              HBASE,
              "",
              "no region server is registered",
              "start region servers, or look at the master's log"));
    }
    for (Server server : servers) {
      findings.add(hbase(server));
      findings.add(coprocessor(server));
    }
    TreeSet<String> versions = new TreeSet<>();
    servers.forEach(server -> server.answer().ifPresent(each -> versions.add(each.version())));
    if (versions.size() > 1) {
      findings.add(
          warn(
              COPROCESSOR,
              "",
              "region servers have different versions: " + versions,
              "finish the upgrade: the same jar on every region server, see"
                  + " docs/operations/upgrade.md"));
    }
    return findings;
  }

  private static Finding hbase(Server server) {
    Level level = SupportedVersions.hbase(server.hbaseVersion());
    return switch (level) {
      case OK -> ok(HBASE, server.name(), "version " + server.hbaseVersion());
      case WARN ->
          warn(
              HBASE,
              server.name(),
              "version " + server.hbaseVersion() + " has not passed all tests",
              SupportedVersions.TESTED_HBASE
                  + " has, "
                  + SupportedVersions.PARTLY_TESTED_HBASE
                  + " some");
      case FAIL ->
          fail(
              HBASE,
              server.name(),
              "version " + server.hbaseVersion() + " is not supported",
              "use HBase "
                  + SupportedVersions.PARTLY_TESTED_HBASE
                  + " or "
                  + SupportedVersions.TESTED_HBASE);
    };
  }

  private static Finding coprocessor(Server server) {
    if (!server.asked()) {
      return warn(
          COPROCESSOR,
          server.name(),
          "holds no region, so it could not be asked",
          "look again when the balancer has given it one");
    }
    if (server.answer().isEmpty()) {
      return fail(
          COPROCESSOR,
          server.name(),
          server.problem(),
          "copy coprocessor/lampone-coprocessor-VERSION.jar into HBase's lib folder on this server"
              + " and restart it BEFORE a table is enabled: opening a region of a transactional"
              + " table without it ends the server");
    }
    ServerAnswer answer = server.answer().get();
    if (!answer.observer().isEmpty()) {
      return fail(
          COPROCESSOR,
          server.name(),
          "the jar is there, and its observer cannot be loaded: " + answer.observer(),
          "remove other versions of the jar from the server's class path, then restart it");
    }
    if (SupportedVersions.java(answer.javaVersion()) == Level.FAIL) {
      return fail(
          COPROCESSOR,
          server.name(),
          "Java " + answer.javaVersion() + " is too old",
          "run region servers with Java " + SupportedVersions.LOWEST_JAVA + " or newer");
    }
    if (answer.oldestRequests() > Compatibility.REQUESTS
        || answer.requests() < Compatibility.REQUESTS) {
      return fail(
          COPROCESSOR,
          server.name(),
          "reads requests of versions "
              + answer.oldestRequests()
              + " to "
              + answer.requests()
              + ", and this client writes version "
              + Compatibility.REQUESTS,
          answer.requests() < Compatibility.REQUESTS
              ? "upgrade the coprocessor first, clients afterwards: docs/operations/upgrade.md"
              : "upgrade this client");
    }
    return same(server, answer);
  }

  private static Finding same(Server server, ServerAnswer answer) {
    String found = "version " + answer.version() + ", Java " + answer.javaVersion();
    if (SupportedVersions.java(answer.javaVersion()) == Level.WARN) {
      return warn(
          COPROCESSOR,
          server.name(),
          found + ", on which it is not tested",
          "Java " + SupportedVersions.TESTED_JAVA + " has all tests");
    }
    return answer.version().equals(ServerAnswer.ownVersion())
        ? ok(COPROCESSOR, server.name(), found)
        : warn(
            COPROCESSOR,
            server.name(),
            found + "; this command is of version " + ServerAnswer.ownVersion(),
            "they get along; finish the upgrade when you can");
  }
}
