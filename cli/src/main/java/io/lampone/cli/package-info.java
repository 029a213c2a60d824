/** The {@code lampone} command; {@link io.lampone.cli.Lampone} is where it starts. */
@NullMarked
package io.lampone.cli;

import org.jspecify.annotations.NullMarked;
