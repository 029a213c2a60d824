package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * Every kind of request, sent by users of every kind of right, is answered as HBase answers the
 * plain operations that it stands for on a plain table: by HBase's own authorizer, and by one of
 * somebody's own that knows the hooks of plain operations only.
 */
class PermissionMatrixIT {

  private static final String PLAIN = "-plain";

  private static TinyCluster cluster;
  private static long base;
  private static final Map<Right, Connection> USERS = new EnumMap<>(Right.class);

  /** What a user may do; users are named after it. */
  enum Right {
    NOTHING,
    READ,
    WRITE,
    RW,
    RW_F,
    RW_G,
    RW_FQ,
    CREATE,
    ADMIN;

    private static final Action[] BOTH = {Action.READ, Action.WRITE};

    String user() {
      return name().toLowerCase(Locale.ROOT);
    }

    /**
     * @param family null for the whole table
     * @param qualifier null for the whole family
     */
    boolean allows(Action action, byte[] family, byte[] qualifier) {
      return switch (this) {
        case READ -> action == Action.READ;
        case WRITE -> action == Action.WRITE;
        case RW -> action == Action.READ || action == Action.WRITE;
        case RW_F -> Arrays.equals(family, Kinds.F.toArray());
        case RW_G -> Arrays.equals(family, Kinds.G.toArray());
        case RW_FQ ->
            Arrays.equals(family, Kinds.F.toArray()) && Arrays.equals(qualifier, Kinds.Q.toArray());
        case NOTHING, CREATE, ADMIN -> false;
      };
    }

    void grantOn(TableName table) throws IOException {
      byte[] family =
          this == RW_F || this == RW_FQ
              ? Kinds.F.toArray()
              : this == RW_G ? Kinds.G.toArray() : null;
      byte[] qualifier = this == RW_FQ ? Kinds.Q.toArray() : null;
      Action[] actions =
          switch (this) {
            case NOTHING -> new Action[0];
            case READ -> new Action[] {Action.READ};
            case WRITE -> new Action[] {Action.WRITE};
            case CREATE -> new Action[] {Action.CREATE};
            case ADMIN -> new Action[] {Action.ADMIN};
            default -> BOTH;
          };
      if (actions.length > 0) {
        GuardedCluster.grant(cluster, table, user(), family, qualifier, actions);
      }
    }
  }

  /** Who says no. */
  enum Authorizer {
    HBASE,
    FOREIGN;

    String table() {
      return "m-" + name().toLowerCase(Locale.ROOT);
    }
  }

  @BeforeAll
  static void start() throws Exception {
    cluster =
        GuardedCluster.start(
            CoprocessorOrderIT.Bystander.class.getName() + "," + AccessController.class.getName());
    base = cluster.ticks().next();
    cluster.publish(Ticks.record(base, base));
    for (Right right : Right.values()) {
      USERS.put(right, GuardedCluster.connectionOf(cluster, right.user()));
    }
    for (Authorizer authorizer : Authorizer.values()) {
      TestTable ours = new TestTable(cluster.connection(), authorizer.table());
      TestTable plain = new TestTable(cluster.connection(), authorizer.table() + PLAIN);
      for (TestTable table : List.of(ours, plain)) {
        table.createPlain(null, "f", "g");
        if (authorizer == Authorizer.FOREIGN) {
          load(table.name(), DenyingObserver.class);
        }
        for (Right right : Right.values()) {
          if (authorizer == Authorizer.HBASE) {
            right.grantOn(table.name());
          } else {
            GuardedCluster.grant(cluster, table.name(), right.user(), null, null, Right.BOTH);
          }
        }
      }
      ours.enable(TestTable.enabled(ConflictLevel.CELL, base));
    }
  }

  @AfterAll
  static void stop() throws IOException {
    for (Connection user : USERS.values()) {
      user.close();
    }
    cluster.close();
  }

  static Stream<Arguments> cases() {
    return Arrays.stream(Authorizer.values())
        .flatMap(authorizer -> Kinds.all().stream().map(kind -> Arguments.of(authorizer, kind)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("cases")
  void isAnsweredLikeThePlainOperations(Authorizer authorizer, Kinds.Kind kind) throws Exception {
    List<String> differences = new ArrayList<>();
    boolean anyoneMay = false;
    boolean anyoneMayNot = false;
    for (Right right : Right.values()) {
      TestTable plain = new TestTable(USERS.get(right), authorizer.table() + PLAIN);
      TestTable ours = new TestTable(USERS.get(right), authorizer.table());
      boolean expected = true;
      for (Kinds.Call call : kind.plain()) {
        expected &= isAllowed(call, plain);
      }
      boolean answered = isAllowed(kind.ours(), ours);
      if (answered != expected) {
        differences.add(right + " plain=" + expected + " ours=" + answered);
      }
      anyoneMay |= expected;
      anyoneMayNot |= !expected;
    }
    assertThat(differences).isEmpty();
    assertThat(anyoneMay && anyoneMayNot).isTrue();
    // The user of this process is the superuser.
    assertThat(isAllowed(kind.ours(), new TestTable(cluster.connection(), authorizer.table())))
        .isTrue();
  }

  @Test
  void noKindOfRequestIsLeftOut() {
    Set<Class<?>> covered = new HashSet<>();
    Kinds.all().forEach(kind -> kind.request().ifPresent(covered::add));
    assertThat(covered).containsExactlyInAnyOrder(RegionRequest.class.getPermittedSubclasses());
  }

  @Test
  void whatIsDeniedLeavesNothing() throws Exception {
    TestTable theirs = new TestTable(USERS.get(Right.RW_F), Authorizer.HBASE.table());
    Bytes row = Bytes.utf8("untouched");
    // Two rows in one request: one of them would be allowed.
    assertThatThrownBy(() -> theirs.send(Kinds.flush(theirs, row, Kinds.F, Kinds.G)))
        .satisfies(failure -> assertThat(GuardedCluster.isDenied(failure)).isTrue());
    Scan inspection = new Scan().withStartRow(row.toArray()).withStopRow(row.toArray(), true);
    inspection.setAttribute(TableSettings.INSPECTION_ATTRIBUTE, new byte[] {1});
    assertThat(TestTable.plainScan(cluster.connection(), theirs.name(), inspection)).isEmpty();
  }

  /** A statement is true for every sender: a right on one column of the table is enough. */
  @Test
  void whatIsProvedIsWrittenIntoAnyFamily_andWhatIsForgedIntoNone() throws Exception {
    TestTable ours = new TestTable(cluster.connection(), "decided");
    ours.createPlain(null, "f", "g");
    Right.RW_F.grantOn(ours.name());
    ours.enable(TestTable.enabled(ConflictLevel.CELL, base));
    TestTable theirs = new TestTable(USERS.get(Right.RW_F), "decided");
    Bytes row = Bytes.utf8("foreign");
    Bytes follower = Bytes.utf8("foreign-follower");
    RegionRequest.Flush flush = flushOfTwo(ours, row, follower);
    long start = flush.startTimestamp();
    Heal forged =
        new Heal(start, base, List.of(follower), flush.leader(), new Fate(0, new Tag(1, 2)));
    assertThatThrownBy(() -> Kinds.sendBy(theirs, forged, Kinds.F, Kinds.Q))
        .hasStackTraceContaining("UNPROVED");
    RegionRequest abort =
        new AbortLeader(
            start, base, row, Kinds.G, false, new Proof.Voided(Proofs.OPEN.voided(start)));
    Heal heal = Fates.heal(start, base, List.of(follower), 0, flush.leader());
    for (RegionRequest request : List.of(abort, heal)) {
      Kinds.sendBy(theirs, request, Kinds.F, Kinds.Q);
    }
    for (Bytes decided : List.of(row, follower)) {
      assertThat(ours.get(new Get(decided.toArray()), at(cluster.ticks().next()))).isEmpty();
    }
  }

  @Test
  void aWrongProofIsAudited() throws Exception {
    TestTable ours = new TestTable(cluster.connection(), "audited");
    ours.createPlain(null, "f");
    GuardedCluster.grant(cluster, ours.name(), "forger", null, null, Right.BOTH);
    ours.enable(TestTable.enabled(ConflictLevel.CELL, base));
    long start = cluster.ticks().next();
    Bytes row = Bytes.utf8("r");
    Fate madeUp = new Fate(start + 256, new Tag(1, 2));
    Heal forged = new Heal(start, base, List.of(row), ours.place(row, Kinds.F), madeUp);
    try (AuditLines audit = new AuditLines();
        Connection connection = GuardedCluster.connectionOf(cluster, "forger")) {
      TestTable theirs = new TestTable(connection, "audited");
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> Kinds.sendBy(theirs, forged, Kinds.F, Kinds.Q))
            .hasStackTraceContaining("UNPROVED");
      }
      assertThat(audit.all())
          .singleElement()
          .asString()
          .contains("\"principal\":\"forger\"", "\"on\":\"audited\"", "\"outcome\":\"UNPROVED: ")
          .containsPattern("\"from\":\"[0-9.]+\"");
    }
  }

  /** It proves nothing, and is carried out all the same where the transaction is old. */
  @Test
  void anAbortWithoutAProof_needsTheRightToWriteTheFamily() throws Exception {
    TestTable ours = new TestTable(cluster.connection(), "undecided");
    ours.createPlain(null, "f", "g");
    Right.RW_F.grantOn(ours.name());
    ours.enable(TestTable.enabled(ConflictLevel.CELL, base));
    TestTable theirs = new TestTable(USERS.get(Right.RW_F), "undecided");
    Bytes row = Bytes.utf8("foreign");
    RegionRequest.Flush flush = flushOfTwo(ours, row, Bytes.utf8("foreign-follower"));
    ours.enable(TestTable.enabled(ConflictLevel.CELL, cluster.ticks().next()));
    RegionRequest abort =
        new AbortLeader(flush.startTimestamp(), base, row, Kinds.G, false, Proof.NONE);
    assertThatThrownBy(() -> Kinds.sendBy(theirs, abort, Kinds.F, Kinds.Q))
        .satisfies(
            failure -> assertThat(GuardedCluster.isDenied(failure)).as("%s", failure).isTrue());
    assertThat(ours.send(abort).outcomes().get(0).applied()).isTrue();
  }

  /** Maintenance passes the observer while a table is being changed, for who may change it. */
  @ParameterizedTest
  @EnumSource
  void maintenanceTakesTheRightToChangeTheTable(Authorizer authorizer) throws Exception {
    TestTable ours = new TestTable(cluster.connection(), authorizer.table() + "-changing");
    ours.createPlain(null, "f", "g");
    Action[] creates = {Action.READ, Action.WRITE, Action.CREATE};
    for (Right right : Right.values()) {
      if (authorizer == Authorizer.HBASE) {
        right.grantOn(ours.name());
      } else {
        GuardedCluster.grant(cluster, ours.name(), right.user(), null, null, creates);
      }
    }
    if (authorizer == Authorizer.FOREIGN) {
      load(ours.name(), DenyingObserver.class);
    }
    List<String> administrators = List.of("creator", "keeper");
    Action[] administers = {Action.READ, Action.WRITE, Action.ADMIN};
    GuardedCluster.grant(cluster, ours.name(), administrators.get(0), null, null, creates);
    GuardedCluster.grant(cluster, ours.name(), administrators.get(1), null, null, administers);
    for (Phase phase : List.of(Phase.ENABLED, Phase.CHANGING)) {
      ours.enable(new TableSettings(phase, ConflictLevel.CELL, base));
      for (Kinds.Kind kind : Kinds.maintenance()) {
        for (Right right : Right.values()) {
          Throwable failure =
              catchThrowable(
                  () -> kind.ours().on(new TestTable(USERS.get(right), ours.name().toString())));
          assertThat(failure).as("%s %s %s", phase, kind, right).isNotNull();
          assertThat(GuardedCluster.isDenied(failure) || phase == Phase.ENABLED)
              .as("%s %s %s: %s", phase, kind, right, failure)
              .isTrue();
        }
        for (String user : administrators) {
          try (Connection connection = GuardedCluster.connectionOf(cluster, user)) {
            Throwable failure =
                catchThrowable(
                    () -> kind.ours().on(new TestTable(connection, ours.name().toString())));
            if (phase == Phase.CHANGING) {
              assertThat(failure).as("%s %s", kind, user).isNull();
            } else {
              assertThat(TestTable.refusalIn(failure).code()).isEqualTo(Code.PLAIN_CLIENT);
            }
          }
        }
      }
    }
  }

  /** HBase would leave out the other family without an error. */
  @Test
  void maintenanceTakesTheRightToReadAllOfTheTable() throws Exception {
    TestTable ours = new TestTable(cluster.connection(), "partly-changing");
    ours.createPlain(null, "f", "g");
    GuardedCluster.grant(cluster, ours.name(), "partial", null, null, Action.CREATE);
    GuardedCluster.grant(
        cluster, ours.name(), "partial", Kinds.F.toArray(), null, Action.READ, Action.WRITE);
    ours.enable(new TableSettings(Phase.CHANGING, ConflictLevel.CELL, base));
    try (Connection connection = GuardedCluster.connectionOf(cluster, "partial")) {
      TestTable theirs = new TestTable(connection, ours.name().toString());
      for (Kinds.Kind kind : Kinds.maintenance()) {
        Throwable failure = catchThrowable(() -> kind.ours().on(theirs));
        boolean reads = Set.of("get", "scan").contains(kind.name());
        assertThat(failure != null && GuardedCluster.isDenied(failure))
            .as("%s: %s", kind, failure)
            .isEqualTo(reads);
      }
    }
  }

  private static RegionRequest.Flush flushOfTwo(TestTable ours, Bytes row, Bytes follower)
      throws IOException {
    RegionRequest.Flush flush = Kinds.flush(ours, row, Kinds.G);
    long start = flush.startTimestamp();
    ours.send(flush);
    ours.send(
        new RegionRequest.Flush(
            start,
            base,
            ConflictLevel.CELL,
            flush.leader(),
            2,
            Kinds.flush(ours, follower, Kinds.G).intents(),
            Proofs.OPEN.grant(start, 0)));
    return flush;
  }

  @Test
  void aRowThatAnotherObserverTakesOutOfTheRequestIsNotAcknowledged() throws Exception {
    TestTable table = new TestTable(cluster.connection(), "bypassed");
    table.createPlain(null, "f", "g");
    load(table.name(), BypassingObserver.class);
    table.enable(TestTable.enabled(ConflictLevel.CELL, base));
    for (Bytes row : List.of(BypassingObserver.ROW, Bytes.utf8("kept"))) {
      RegionRequest.Flush one = Kinds.flush(table, row, Kinds.F);
      if (row.equals(BypassingObserver.ROW)) {
        assertThatThrownBy(() -> table.send(one))
            .hasStackTraceContaining("has taken a row out of the request");
      } else {
        assertThat(table.send(one).outcomes()).hasSize(1);
      }
    }
  }

  static ReadRequest at(long snapshot) {
    return new ReadRequest(snapshot, false, base, SlotSet.NONE, Map.of());
  }

  static TinyCluster cluster() {
    return cluster;
  }

  static long base() {
    return base;
  }

  /** Lines of the audit log. */
  private static final class AuditLines implements AutoCloseable {

    private final Logger logger = (Logger) LoggerFactory.getLogger("lampone.audit");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    AuditLines() {
      lines.start();
      logger.setLevel(Level.INFO);
      logger.addAppender(lines);
    }

    List<String> all() {
      return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Override
    public void close() {
      logger.detachAppender(lines);
      logger.setLevel(null);
    }
  }

  private static void load(TableName table, Class<?> coprocessor) throws IOException {
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(table))
              .setCoprocessor(coprocessor.getName())
              .build());
    }
  }

  private static boolean isAllowed(Kinds.Call call, TestTable table) {
    try {
      call.on(table);
      return true;
    } catch (IOException | RuntimeException e) {
      if (GuardedCluster.isDenied(e)) {
        return false;
      }
      if (TestTable.refusalIn(e) != null) {
        return true; // a rule of ours, which has looked at the row
      }
      throw new AssertionError("unforeseen", e);
    }
  }
}
