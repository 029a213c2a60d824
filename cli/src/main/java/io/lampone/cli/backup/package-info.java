/**
 * Consistent copies of several tables at one timestamp, as files, and new tables from them. The
 * format and the rules are in docs/operations/backup.md.
 */
@NullMarked
package io.lampone.cli.backup;

import org.jspecify.annotations.NullMarked;
