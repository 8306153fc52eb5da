# a script without nodes
$ns_ run
