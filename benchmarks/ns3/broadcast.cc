/* Broadcasts of moving nodes in ns-3: the heartbeats, dense, flood and scale cases of the benchmarks.
 *
 * 802.11b ad hoc at 2 Mbit/s, long preamble, a hard disc, no IP: NetDevice::Send adds LLC/SNAP, so 512 bytes of payload
 * are 548 on the air. Nodes move as a file says (the very movement of our own run) or as ns-3's random waypoint does.
 * The kind "neighbours" sends nothing and counts every second who is in range of whom: what movement alone decides.
 * Prints one line of JSON: frames, receptions, CPU seconds of its own (without the reading of the files), memory.
 */
#include "hard_disc.h"
#include "movement.h"

#include <fstream>
#include <iostream>
#include <vector>

using namespace ns3;

namespace
{

const uint16_t PROTOCOL = 0x88b5; // for experiments (IEEE 802)

struct Options
{
    std::string kind = "periodic";
    std::string movement;      // lines "node time_s x_m y_m"; empty: ns-3's own random waypoint
    std::string schedule;      // lines "node time_s": phases, or publications; empty: random phases
    std::string mover = "legs"; // legs, waypoints
    uint32_t nodes = 150;
    double sideM = 5000;
    double rangeM = 339;
    double durationS = 180;
    double periodS = 1;
    uint32_t payloadBytes = 50;
    double speedLowMps = 10;
    double speedHighMps = 10;
    double pauseS = 1;
    uint32_t ttl = 10;
    double jitterS = 0.01;
};

Options g_options;
uint64_t g_frames = 0;
uint64_t g_receptions = 0;
uint64_t g_inRange = 0; // pairs (sender, receiver), summed over the seconds
std::vector<Ptr<NetDevice>> g_devices;
std::vector<std::vector<bool>> g_heard; // by publication and node
Ptr<UniformRandomVariable> g_jitter;

/** What a flooded packet says of itself; its bytes are part of the payload. */
class FloodHeader : public Header
{
  public:
    static const uint32_t SIZE = 8;
    uint32_t publication = 0;
    uint32_t ttl = 0;

    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("roamcast::FloodHeader").SetParent<Header>().AddConstructor<FloodHeader>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    void Print(std::ostream& out) const override
    {
        out << publication << " " << ttl;
    }

    uint32_t GetSerializedSize() const override
    {
        return SIZE;
    }

    void Serialize(Buffer::Iterator to) const override
    {
        to.WriteU32(publication);
        to.WriteU32(ttl);
    }

    uint32_t Deserialize(Buffer::Iterator from) override
    {
        publication = from.ReadU32();
        ttl = from.ReadU32();
        return SIZE;
    }
};

void
SendPeriodically(uint32_t node)
{
    g_devices[node]->Send(Create<Packet>(g_options.payloadBytes), Mac48Address::GetBroadcast(), PROTOCOL);
    Simulator::Schedule(Seconds(g_options.periodS), &SendPeriodically, node);
}

void
SendFlood(uint32_t node, uint32_t publication, uint32_t ttl)
{
    FloodHeader header;
    header.publication = publication;
    header.ttl = ttl;
    Ptr<Packet> packet = Create<Packet>(g_options.payloadBytes - FloodHeader::SIZE);
    packet->AddHeader(header);
    g_devices[node]->Send(packet, Mac48Address::GetBroadcast(), PROTOCOL);
}

void
Publish(uint32_t node, uint32_t publication)
{
    g_heard[publication][node] = true;
    SendFlood(node, publication, g_options.ttl);
}

bool
ReceiveBeacon(Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&)
{
    ++g_receptions;
    return true;
}

bool
ReceiveFlood(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t, const Address&)
{
    ++g_receptions;
    FloodHeader header;
    packet->PeekHeader(header);
    uint32_t node = device->GetNode()->GetId();
    if (!g_heard[header.publication][node])
    {
        g_heard[header.publication][node] = true;
        if (header.ttl > 1)
        {
            Simulator::Schedule(Seconds(g_jitter->GetValue()), &SendFlood, node, header.publication, header.ttl - 1);
        }
    }
    return true;
}

void
CountFrame(Ptr<const Packet>, double)
{
    ++g_frames;
}

void
CountInRange(NodeContainer nodes)
{
    std::vector<Vector> places;
    for (uint32_t node = 0; node < nodes.GetN(); ++node)
    {
        places.push_back(nodes.Get(node)->GetObject<MobilityModel>()->GetPosition());
        for (uint32_t other = 0; other < node; ++other)
        {
            g_inRange += CalculateDistance(places[node], places[other]) <= g_options.rangeM ? 2 : 0;
        }
    }
    Simulator::Schedule(Seconds(1), &CountInRange, nodes);
}

std::vector<std::pair<uint32_t, double>>
ReadSchedule()
{
    std::vector<std::pair<uint32_t, double>> entries;
    std::ifstream file(g_options.schedule);
    uint32_t node;
    double timeS;
    while (file >> node >> timeS)
    {
        entries.emplace_back(node, timeS);
    }
    return entries;
}

/** Move the nodes along the legs of a file, each leg by a constant velocity or by ns-3's waypoint model. */
void
InstallMovement(const NodeContainer& nodes, const movement::Walks& walks)
{
    for (uint32_t node = 0; node < nodes.GetN(); ++node)
    {
        if (g_options.mover == "legs")
        {
            movement::Follow(nodes.Get(node), walks[node]);
            continue;
        }
        Ptr<WaypointMobilityModel> mobility =
            CreateObjectWithAttributes<WaypointMobilityModel>("LazyNotify", BooleanValue(true));
        nodes.Get(node)->AggregateObject(mobility);
        for (const movement::Point& point : walks[node])
        {
            mobility->AddWaypoint(Waypoint(Seconds(point.timeS), Vector(point.xM, point.yM, 0)));
        }
    }
}

/** Move the nodes as a user of ns-3 would: random waypoint in a square, from a uniform start. */
void
InstallRandomWaypoint(const NodeContainer& nodes)
{
    auto uniform = [](double low, double high) {
        return "ns3::UniformRandomVariable[Min=" + std::to_string(low) + "|Max=" + std::to_string(high) + "]";
    };
    ObjectFactory places("ns3::RandomRectanglePositionAllocator");
    places.Set("X", StringValue(uniform(0, g_options.sideM)));
    places.Set("Y", StringValue(uniform(0, g_options.sideM)));
    Ptr<PositionAllocator> allocator = places.Create<PositionAllocator>();
    MobilityHelper mobility;
    mobility.SetMobilityModel(
        "ns3::RandomWaypointMobilityModel", "Speed", StringValue(uniform(g_options.speedLowMps, g_options.speedHighMps)),
        "Pause", StringValue("ns3::ConstantRandomVariable[Constant=" + std::to_string(g_options.pauseS) + "]"),
        "PositionAllocator", PointerValue(allocator));
    mobility.SetPositionAllocator(allocator);
    mobility.Install(nodes);
}

void
InstallTraffic(const std::vector<std::pair<uint32_t, double>>& schedule)
{
    bool flood = g_options.kind == "flood";
    for (const Ptr<NetDevice>& device : g_devices)
    {
        device->SetReceiveCallback(flood ? MakeCallback(&ReceiveFlood) : MakeCallback(&ReceiveBeacon));
        DynamicCast<WifiNetDevice>(device)->GetPhy()->TraceConnectWithoutContext("PhyTxBegin",
                                                                                MakeCallback(&CountFrame));
    }
    if (flood)
    {
        g_heard.assign(schedule.size(), std::vector<bool>(g_options.nodes));
        for (uint32_t publication = 0; publication < schedule.size(); ++publication)
        {
            auto [node, timeS] = schedule[publication];
            Simulator::ScheduleWithContext(node, Seconds(timeS), &Publish, node, publication);
        }
        return;
    }
    Ptr<UniformRandomVariable> phase = CreateObject<UniformRandomVariable>();
    for (uint32_t node = 0; node < g_options.nodes; ++node)
    {
        double timeS = schedule.empty() ? phase->GetValue(0, g_options.periodS) : schedule.at(node).second;
        Simulator::ScheduleWithContext(node, Seconds(timeS), &SendPeriodically, node);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    CommandLine command(__FILE__);
    command.AddValue("kind", "periodic, flood or neighbours", g_options.kind);
    command.AddValue("movement", "file of lines: node time_s x_m y_m", g_options.movement);
    command.AddValue("schedule", "file of lines: node time_s", g_options.schedule);
    command.AddValue("mover", "legs or waypoints: how a file's movement is made", g_options.mover);
    command.AddValue("nodes", "number of nodes", g_options.nodes);
    command.AddValue("side", "side of the square for ns-3's random waypoint, m", g_options.sideM);
    command.AddValue("range", "reach of a frame, m", g_options.rangeM);
    command.AddValue("duration", "simulated seconds", g_options.durationS);
    command.AddValue("period", "seconds between the frames of a node", g_options.periodS);
    command.AddValue("payload", "bytes", g_options.payloadBytes);
    command.AddValue("speedLow", "m/s", g_options.speedLowMps);
    command.AddValue("speedHigh", "m/s", g_options.speedHighMps);
    command.AddValue("pause", "s", g_options.pauseS);
    command.AddValue("ttl", "hops of a flooded packet", g_options.ttl);
    command.AddValue("jitter", "longest wait before a packet is sent on, s", g_options.jitterS);
    command.Parse(argc, argv);
    movement::Walks walks;
    if (!g_options.movement.empty())
    {
        walks = movement::Read(g_options.movement, g_options.nodes);
    }
    auto schedule = ReadSchedule();

    double beganS = hard_disc::CpuSeconds();
    hard_disc::SetDefaults(50);
    g_jitter = CreateObjectWithAttributes<UniformRandomVariable>("Max", DoubleValue(g_options.jitterS));
    NodeContainer nodes;
    nodes.Create(g_options.nodes);
    if (walks.empty())
    {
        InstallRandomWaypoint(nodes);
    }
    else
    {
        InstallMovement(nodes, walks);
    }
    if (g_options.kind == "neighbours")
    {
        Simulator::Schedule(Seconds(0.5), &CountInRange, nodes);
    }
    else
    {
        NetDeviceContainer devices =
            hard_disc::InstallRadios(nodes, WIFI_STANDARD_80211b, g_options.rangeM, "DsssRate2Mbps", "DsssRate1Mbps");
        g_devices.assign(devices.Begin(), devices.End());
        InstallTraffic(schedule);
    }
    Simulator::Stop(Seconds(g_options.durationS));
    double readyS = hard_disc::CpuSeconds();
    Simulator::Run();
    double endedS = hard_disc::CpuSeconds();
    std::cout.precision(9);
    std::cout << "{\"frames\": " << g_frames << ", \"receptions\": " << g_receptions
              << ", \"in_range\": " << g_inRange
              << ", \"setup_cpu_s\": " << readyS - beganS << ", \"cpu_s\": " << endedS - beganS
              << ", \"events\": " << Simulator::GetEventCount()
              << ", \"peak_memory_mb\": " << hard_disc::PeakMegabytes() << ", \"judged\": " << hard_disc::g_judged
              << "}" << std::endl;
    Simulator::Destroy();
    return 0;
}
