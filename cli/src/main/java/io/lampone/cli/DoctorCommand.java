package io.lampone.cli;

import io.lampone.cli.check.Finding;
import io.lampone.cli.check.ValidatorsCheck;
import io.lampone.cli.doctor.Ailment;
import io.lampone.cli.doctor.Doctor;
import io.lampone.cli.doctor.DoctorFinding;
import io.lampone.cli.doctor.Quarantine;
import io.lampone.cli.doctor.SqlDoctor;
import io.lampone.cli.doctor.Treatment;
import io.lampone.cli.manager.InspectionPasses;
import io.lampone.cli.manager.ManagerAccess;
import io.lampone.cli.manager.ManagerOperations;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.ManagerRecord;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lampone doctor}. */
@Command(
    name = "doctor",
    description = {
      "Looks through tables for what should not be there, and says what it is and what to do.",
      "The tables stay in use. Every cell is read: on a large table that takes long."
    },
    footer = {
      "",
      "Exit codes: 0 nothing found; 1 could not look through all tables, or left one closed; 2 wrong"
          + " options; 3 found something."
    })
final class DoctorCommand implements java.util.concurrent.Callable<Integer> {

  private static final int FOUND = 3;

  /** Findings that are collected before they are treated. */
  private static final int TREATED_TOGETHER = 1_000;

  /** Cells of a table that are ended in one run. */
  private static final int MAX_QUARANTINED = 10_000;

  private static final String NOT_SEEN =
      "leaders in other tables, followers, lengths of cells and unreadable ones are not examined"
          + " where region servers have a cluster key";

  /** The highest {@code --older-than}. */
  private static final Duration OLDEST = Duration.ofDays(3650);

  @Spec CommandSpec spec;

  @Mixin ConnectionOptions connection;

  @Option(names = "--debug", description = "Shows stack traces.")
  boolean debug;

  @Parameters(
      arity = "0..*",
      paramLabel = "TABLE",
      description =
          "Which tables. With --sql as in SQL, for the comparison with their indexes; default: all.")
  List<String> tables = new ArrayList<>();

  @Option(
      names = "--sql",
      description =
          "Looks for what SQL needs instead: versions, coprocessors, tables of Omid's or altered ones,"
              + " and whether tables and their indexes agree. Changes nothing.")
  boolean sql;

  @Option(
      names = "--fix",
      description =
          "Does what is safe: settles transactions whose time is over, and corrects the families of"
              + " a table, which alters it and reopens its regions.")
  boolean fix;

  @Option(
      names = "--quarantine",
      description =
          "With --fix: ends what requests are refused for. Undecided or unreadable transaction cells"
              + " are aborted, versions of the future are deleted. What they may have committed is"
              + " lost. Closes the table to writers meanwhile, and ends open transactions on it.")
  boolean quarantine;

  @Option(
      names = "--older-than",
      paramLabel = "SECONDS",
      defaultValue = "900",
      description = "What is younger may be at work, and is not judged. Default: ${DEFAULT-VALUE}.")
  long olderThanSeconds;

  @Option(names = "--json", description = "Standard output is one JSON object a line.")
  boolean json;

  /** Findings not treated yet: at most {@link #TREATED_TOGETHER}, plus the schema findings. */
  private final List<DoctorFinding> fixable = new ArrayList<>();

  private DoctorOutput output;

  /** Quarantined cells of the present table that are to be ended. */
  private final List<DoctorFinding> quarantined = new ArrayList<>();

  /** Tables that could not be looked through, or not to their ends. */
  private final List<TableName> failed = new ArrayList<>();

  /** True if a table that was closed to writers could not be opened again. */
  private boolean leftClosed;

  @SuppressWarnings("NullAway.Init") // picocli and call() set the fields
  DoctorCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (olderThanSeconds < 0 || olderThanSeconds > OLDEST.toSeconds()) {
      throw new ParameterException(
          spec.commandLine(),
          "--older-than must be in 0.." + OLDEST.toSeconds() + ", not " + olderThanSeconds);
    }
    if (quarantine && !fix) {
      throw new ParameterException(
          spec.commandLine(), "--quarantine changes the table: give --fix with it");
    }
    if (sql ? fix : tables.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), sql ? "--sql changes nothing: leave out --fix" : "name a table");
    }
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    if (sql) {
      return examineSql(errors);
    }
    try (ProgressBar shown = ProgressBar.of(errors, SystemClock.INSTANCE)) {
      output = new DoctorOutput(spec.commandLine().getOut(), json, shown);
      return examine(tables.stream().map(TableCommand::table).toList(), errors);
    }
  }

  private int examineSql(PrintWriter errors) throws IOException {
    Optional<SqlDoctor> doctor = ServiceLoader.load(SqlDoctor.class).findFirst();
    if (doctor.isEmpty()) {
      MissingPart.missingSql("doctor --sql").print(errors, "");
      return 1;
    }
    SqlFindings findings = new SqlFindings(spec.commandLine().getOut(), json);
    doctor.get().examine(connection.reachable(errors), tables, findings);
    return findings.summary() ? 0 : FOUND;
  }

  private int examine(List<TableName> names, PrintWriter errors)
      throws IOException, InterruptedException {
    Configuration configuration = connection.configuration(errors);
    try (ManagerAccess access = ManagerAccess.open(connection, errors);
        ManagerOperations operations = ManagerOperations.open(access);
        Connection hbase = ConnectionFactory.createConnection(configuration);
        LamponeClient client = LamponeClient.connect(configuration)) {
      long now = operations.now();
      long floor = record(access).floor();
      InspectionPasses passes = InspectionPasses.obtain(operations, SystemClock.INSTANCE);
      Optional<String> refusal = passes.refusal();
      refusal.ifPresent(
          why -> errors.println("Without an inspection pass " + NOT_SEEN + ": " + why));
      errors.flush();
      Treatment treatment = new Treatment(hbase, passes, client, floor);
      Doctor doctor =
          new Doctor(
              hbase,
              passes,
              () -> bound(operations, access),
              new Doctor.Limits(now - Duration.ofSeconds(olderThanSeconds).toNanos(), floor),
              finding -> tell(finding, treatment));
      doctor.reportTo(output::progress);
      validators(operations, treatment);
      for (TableName name : names) {
        examine(doctor, name, errors);
        treat(treatment, finding -> true);
        release(new Quarantine(hbase, () -> timestamp(client)), name, errors);
      }
      output.summary(doctor, failed, refusal);
      if (!failed.isEmpty() || leftClosed) {
        return 1;
      }
      return output.hasFindings() ? FOUND : 0;
    }
  }

  /** Reports what is wrong with validators, by which transactions abort. */
  private void validators(ManagerOperations operations, Treatment treatment)
      throws IOException, InterruptedException {
    Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
    operations.validators().map(each -> ValidatorsCheck.judge(each, now)).stream()
        .flatMap(List::stream)
        .filter(each -> each.level() != Finding.Level.OK)
        .forEach(
            each ->
                tell(
                    new DoctorFinding(Ailment.VALIDATOR, "", each.subject(), each.found()),
                    treatment));
  }

  /** Examines one table; a failure does not prevent the examination of the others. */
  private void examine(Doctor doctor, TableName name, PrintWriter errors)
      throws IOException, InterruptedException {
    try {
      doctor.examine(name);
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      failed.add(name);
      Failure failure = Failure.of(e);
      failure.print(errors, "table=" + name + ": ");
      if (debug) {
        e.printStackTrace(errors);
        errors.flush();
      }
      output.failed(name, failure);
    }
  }

  /** Returns the bound. Also requests a timestamp, because the record read may be stale. */
  private static long bound(ManagerOperations operations, ManagerAccess access)
      throws IOException, InterruptedException {
    return Math.max(operations.now(), record(access).bound());
  }

  private static ManagerRecord record(ManagerAccess access)
      throws IOException, InterruptedException {
    return access
        .record()
        .orElseThrow(
            () ->
                new CommandException(
                    "no transaction manager has ever run here",
                    "is lampone.zookeeper.parent right here? 'lampone check' looks at the"
                        + " transaction managers"));
  }

  private void tell(DoctorFinding finding, Treatment treatment) {
    if (fix && finding.ailment().isFixable()) {
      fixable.add(finding);
    }
    if (quarantine
        && finding.ailment().isQuarantined()
        && finding.cell().isPresent()
        && quarantined.size() < MAX_QUARANTINED) {
      quarantined.add(finding);
    }
    output.found(finding);
    if (fixable.size() >= TREATED_TOGETHER) {
      // A change of the schema would reopen the regions that are being read.
      treat(treatment, each -> each.ailment() != Ailment.WRONG_SCHEMA);
    }
  }

  /** Treats the findings accepted by {@code now} that are not treated yet. */
  private void treat(Treatment treatment, Predicate<DoctorFinding> now) {
    List<DoctorFinding> treated = fixable.stream().filter(now).toList();
    fixable.removeIf(now);
    treated.forEach(finding -> output.treated(finding, outcome(() -> treatment.of(finding))));
  }

  /** Ends the quarantined cells of a table, after all of it has been examined. */
  private void release(Quarantine cells, TableName name, PrintWriter errors) {
    if (quarantined.isEmpty()) {
      return;
    }
    cells
        .release(name, quarantined, output::treated)
        .ifPresent(
            failure -> {
              leftClosed = true;
              output.failed(name, failure);
              failure.print(errors, "");
            });
    quarantined.clear();
  }

  private static long timestamp(LamponeClient client) throws IOException {
    try (Transaction now = client.readOnly()) {
      return now.startTimestamp();
    }
  }

  /** Action on a finding. */
  @FunctionalInterface
  interface Fix {

    /** Applies the fix and returns the result for the user. */
    String apply() throws IOException;
  }

  /** Returns the result of a fix; a failed one does not stop the others. */
  static String outcome(Fix fix) {
    try {
      return fix.apply();
    } catch (IOException | RuntimeException e) {
      return "could not: " + Failure.of(e).message();
    }
  }
}
