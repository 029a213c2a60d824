/**
 * Examines the stored cells of transactional tables, below all snapshots, for corruption, and
 * describes each finding with a remedy.
 */
@NullMarked
package io.lampone.cli.doctor;

import org.jspecify.annotations.NullMarked;
