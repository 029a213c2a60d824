/** Commands of simulator, fault lab, cluster of processes and history checker. */
@NullMarked
package io.lampone.lab;

import org.jspecify.annotations.NullMarked;
