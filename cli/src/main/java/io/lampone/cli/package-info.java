/**
 * The {@code lampone} command: the quick start, the shell, and what an operator does to tables.
 *
 * <p>{@link io.lampone.cli.Database} is the one seam between the commands and a cluster.
 */
@NullMarked
package io.lampone.cli;

import org.jspecify.annotations.NullMarked;
