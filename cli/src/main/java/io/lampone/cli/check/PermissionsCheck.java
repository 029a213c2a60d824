package io.lampone.cli.check;

import static io.lampone.cli.check.Finding.fail;
import static io.lampone.cli.check.Finding.ok;
import static io.lampone.cli.check.Finding.warn;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Check of the permissions of the user who runs it. */
final class PermissionsCheck {

  private static final String PERMISSION = "permission";

  private PermissionsCheck() {}

  /**
   * Permissions in HBase.
   *
   * @param authorization whether HBase checks permissions at all
   * @param user the current user
   * @param mayCreate whether the user may create and change tables
   * @param mayUse by transactional table, whether the user may read and write it
   */
  record Permissions(
      boolean authorization, String user, boolean mayCreate, Map<String, Boolean> mayUse) {}

  static List<Finding> judge(Permissions permissions) {
    String user = permissions.user();
    List<Finding> findings = new ArrayList<>();
    if (!permissions.authorization()) {
      findings.add(ok(PERMISSION, user, "HBase checks none: every user may do everything"));
      return findings;
    }
    findings.add(
        permissions.mayCreate()
            ? ok(PERMISSION, user, "may create and change tables")
            : warn(
                PERMISSION,
                user,
                "may not create or change tables",
                "enabling tables requires ADMIN: in the HBase shell, grant '" + user + "', 'CA'"));
    permissions
        .mayUse()
        .forEach(
            (table, allowed) ->
                findings.add(
                    allowed
                        ? ok(PERMISSION, user, "may read and write " + table)
                        : fail(
                            PERMISSION,
                            user,
                            "may not read and write " + table,
                            "in the HBase shell: grant '"
                                + user
                                + "', 'RW', '"
                                + table
                                + "', 'FAMILY', for each family that it uses, or without one for"
                                + " the whole table")));
    return findings;
  }
}
